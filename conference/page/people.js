// SPDX-License-Identifier: Apache-2.0
// The list of participants; for hosts with what hosts may do.

import { byId, make, reconcile, setLabel, setText } from './elements.js';
import { icon, qualityIcon } from './icons.js';
import { askToRemove, linkCopied, linkNotCopied, QUALITIES, TEXTS } from './sentences.js';
import { ask } from './question.js';
import { everybody } from './room_state.js';
import { toast } from './toasts.js';

const microphoneOf = (participant) => participant.tracks.find((track) => track.source === 'microphone');
const isMuted = (participant) => microphoneOf(participant)?.muted ?? true;

export class People {
  #send;

  /** @param {(message: object) => boolean} send */
  constructor(send) {
    this.#send = send;
    byId('lock').onchange = (event) => send({ type: 'lock', locked: event.target.checked });
    byId('lobby').onchange = (event) => send({ type: 'lobby', on: event.target.checked });
  }

  /** @param {import('./room_state.js').RoomState} state */
  render(state) {
    const host = state.you?.role === 'host';
    reconcile(byId('people-list'), everybody(state), (each) => each.sid, () => make('li', { class: 'person' }),
      (element, each) => this.#person(element, each, each === state.you, host));
    byId('waiting').hidden = !host || state.waiting.length === 0;
    reconcile(byId('waiting-list'), host ? state.waiting : [], (each) => each.sid, (each) => this.#waiting(each), () => {});
    byId('host-tools').hidden = !host;
    byId('lock').checked = state.room.locked;
    byId('lobby').checked = state.room.lobby;
  }

  /** Gives a link that lets guests in to the clipboard. @param {string} link */
  async copy(link) {
    try {
      await navigator.clipboard.writeText(link);
      toast(linkCopied);
    } catch {
      toast(linkNotCopied(link), { text: TEXTS.done, act: () => {} });
    }
  }

  #waiting({ sid, name }) {
    const button = (text, type, classes) => make('button', {
      type: 'button', class: classes, label: `${text}: ${name}`, onclick: () => this.#send({ type, sid }),
    }, text);
    return make('li', { class: 'person' }, make('span', { class: 'grow', dir: 'auto' }, name),
      make('span', { class: 'tools' }, button(TEXTS.admit, 'admit', 'primary small'), button(TEXTS.deny, 'deny', 'small')));
  }

  #person(element, participant, you, host) {
    if (!element.firstChild) element.append(...this.#parts(participant));
    const [name, hand, quality, microphone, tools] = element.children;
    const [mute, remove] = tools.children;
    const notes = [you ? TEXTS.you : '', participant.role === 'host' ? TEXTS.host : ''].filter(Boolean).join(', ');
    setText(name, notes ? `${participant.name} (${notes})` : participant.name);
    hand.hidden = !participant.hand;
    if (quality.dataset.quality !== participant.quality) {
      quality.dataset.quality = participant.quality;
      quality.replaceChildren(qualityIcon(participant.quality));
      setLabel(quality, QUALITIES[participant.quality] ?? '');
    }
    const muted = isMuted(participant);
    if (microphone.dataset.muted !== String(muted)) {
      microphone.dataset.muted = String(muted);
      microphone.replaceChildren(icon(muted ? 'microphone-off' : 'microphone'));
      setLabel(microphone, muted ? TEXTS.muted : TEXTS.notMuted);
    }
    // Nobody switches another's microphone on; a stream has no hand of its own.
    mute.hidden = !host || you || !microphoneOf(participant) || (muted && !participant.ingress);
    setText(mute, muted ? TEXTS.unmute : TEXTS.mute);
    setLabel(mute, `${mute.textContent}: ${participant.name}`);
    mute.onclick = () => this.#send({
      type: 'mute_participant', sid: participant.sid, track: microphoneOf(participant)?.sid, muted: !muted,
    });
    remove.hidden = !host || you;
  }

  #parts({ sid, name }) {
    const mark = () => make('span', { class: 'mark', role: 'img' });
    const hand = mark();
    hand.append(icon('hand'));
    setLabel(hand, TEXTS.handRaised);
    const remove = async () => { if (await ask(askToRemove(name), TEXTS.remove)) this.#send({ type: 'remove', sid }); };
    return [
      make('span', { class: 'grow', dir: 'auto' }), hand, mark(), mark(),
      make('span', { class: 'tools' },
        make('button', { type: 'button', class: 'small' }),
        make('button', { type: 'button', class: 'small', label: `${TEXTS.remove}: ${name}`, onclick: remove }, TEXTS.remove)),
    ];
  }
}
