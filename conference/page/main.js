// SPDX-License-Identifier: Apache-2.0
// The page of a room: joins the parts. Each part knows only what it is given here.

import { byId, make, setLabel, setText } from './elements.js';
import { setIcon } from './icons.js';
import { keepAwake } from './wake_lock.js';
import { RoomCall } from './call.js';
import { Chat } from './chat.js';
import { LevelMeter } from './levels.js';
import { LocalMedia } from './local_media.js';
import { canShareScreen } from './media_devices.js';
import { showNotice } from './notice.js';
import { Panels } from './panels.js';
import { People } from './people.js';
import { DevicePickers } from './pickers.js';
import { preferences, remember } from './preferences.js';
import { Prejoin } from './prejoin.js';
import { ask } from './question.js';
import * as sentences from './sentences.js';
import { Stage } from './stage.js';
import { toast } from './toasts.js';
import { bindToolbar, renderToolbar } from './toolbar.js';

const { TEXTS } = sentences;
const kept = preferences();

function fillTexts() {
  for (const element of document.querySelectorAll('[data-text]')) element.textContent = TEXTS[element.dataset.text];
  for (const element of document.querySelectorAll('[data-label]')) setLabel(element, TEXTS[element.dataset.label]);
  for (const element of document.querySelectorAll('[data-hint]')) element.placeholder = TEXTS[element.dataset.hint];
  for (const element of document.querySelectorAll('[data-icon]')) setIcon(element, element.dataset.icon);
  byId('keys').append(...sentences.KEYS.flatMap(([key, does]) => [make('dt', {}, key), make('dd', {}, does)]));
  for (const id of ['stage', 'chat', 'people', 'chat-lines']) byId(id).removeAttribute('title');
}

class Page {
  #joining = false;  // the user pressed Join and has not left
  #said = {};  // problems of devices that the user was told

  constructor() {
    fillTexts();
    this.media = new LocalMedia(kept, () => this.#mediaChanged());
    this.call = new RoomCall(this.media, {
      changed: () => this.#render(), notice: (sentence) => toast(sentence), mutedByHost: () => toast(sentences.mutedByHost),
      chatted: (name) => { if (this.panels.open !== 'chat') toast(sentences.chatFrom(name)); },
    });
    this.meter = new LevelMeter((level) => this.#level(level));
    this.prejoin = new Prejoin(this.media, { join: (name) => this.#join(name), choose: (device, id) => this.#choose(device, id) });
    this.chat = new Chat((message) => this.call.send(message));
    this.people = new People((message) => this.call.send(message));
    this.panels = new Panels((panel) => { if (panel === 'chat') { this.call.readChat(); this.chat.scrollToEnd(); } this.#render(); });
    this.stage = new Stage({
      streamOf: (tile) => this.call.streamOf(tile), want: (settings) => this.call.want(settings), blocked: () => this.#soundBlocked(),
      tell: (text) => toast(this.call.send({ type: 'chat', text }) ? sentences.toldInChat : sentences.chatNotSent),
    });
    this.stage.view = kept.view;
    this.stage.useSpeaker(kept.speaker);
    this.pickers = new DevicePickers(byId('settings-pickers'), kept, (device, id) => this.#choose(device, id));
    this.#bind();
    this.media.start({ microphone: kept.microphoneOn, camera: kept.cameraOn });
    this.prejoin.show(true);
    this.#render();
  }

  #bind() {
    bindToolbar({
      press: (name) => this.#press(name), leave: () => this.#askToLeave(), talk: (held) => this.media.talk(held),
      active: () => !byId('room').hidden,
    });
    byId('banner-retry').onclick = () => this.call.retry();
    byId('settings').onclick = () => byId('settings-dialog').showModal();
    byId('settings-close').onclick = () => byId('settings-dialog').close();
    byId('invite').onclick = () => this.call.invite((link) => this.people.copy(link));
    addEventListener('pagehide', () => this.call.leave());
  }

  #join(name) {
    this.#joining = true;
    this.#said = { ...this.media.problems };
    this.call.join(name);
    this.stage.play();
  }

  async #askToLeave() {
    const host = this.call.state.you?.role === 'host';
    if (host && !await ask(sentences.askToLeaveAsHost, TEXTS.leave)) return;
    this.call.leave();
  }

  /** Back to the first view. */
  #again() {
    this.#joining = false;
    this.media.start({ microphone: this.media.on.microphone, camera: this.media.on.camera });
    this.prejoin.show(true);
    this.#render();
  }

  #press(name) {
    switch (name) {
      case 'microphone': case 'camera': this.#toggleDevice(name); break;
      case 'screen': this.#toggleScreen(); break;
      case 'hand': this.call.send({ type: 'hand', raised: !this.call.state.you?.hand }); break;
      case 'chat': case 'people': this.panels.toggle(name); break;
      case 'view': this.#toggleView(); break;
    }
  }

  #toggleDevice(device) {
    this.#said[device] = null;  // whoever asks for it is told again
    this.media.set(device, !this.media.on[device] || !this.media.tracks[device]);
  }

  async #toggleScreen() {
    if (!canShareScreen()) return;
    if (this.media.isSharing) { this.media.stopScreen(); return; }
    try {
      await this.media.shareScreen();
    } catch {
      toast(sentences.screenFailed);
    }
  }

  #toggleView() {
    this.stage.view = this.stage.view === 'grid' ? 'speaker' : 'grid';
    remember({ view: this.stage.view });
    this.#render();
  }

  #choose(device, id) {
    remember({ [device]: id });
    if (device === 'speaker') this.stage.useSpeaker(id);
    else this.media.choose(device, id);
    this.pickers.show(preferences());
  }

  #mediaChanged() {
    this.meter.listen(this.media.tracks.microphone);
    this.call.publish();
    if (!byId('room').hidden) this.#sayProblems();
    this.#render();
  }

  #sayProblems() {
    for (const device of ['microphone', 'camera']) {
      const problem = this.media.problems[device];
      if (problem && problem !== this.#said[device]) toast(sentences.deviceProblem(device, problem));
    }
    this.#said = { ...this.media.problems };
  }

  #soundBlocked() {
    toast(sentences.soundBlocked, { text: TEXTS.turnOnSound, act: () => this.stage.play() });
  }

  #level(level) {
    if (this.#joining) this.call.level(level);
    else this.prejoin.meter(level);
  }

  #render() {
    const { phase, notice, state } = this.call;
    const inRoom = this.#joining && notice === null;
    byId('prejoin').hidden = this.#joining;
    if (this.#joining) this.prejoin.show(false);
    else this.prejoin.render();
    showNotice(this.#joining ? notice : null, { again: () => this.#again(), leave: () => this.#askToLeave() });
    byId('room').hidden = !inRoom;
    keepAwake(inRoom);
    if (!inRoom) return;
    this.#renderRoom(phase, state);
  }

  #renderRoom(phase, state) {
    setText(byId('room-name'), state.room.name);
    document.title = `${this.call.unread > 0 ? `(${this.call.unread}) ` : ''}${state.room.name} – Tactus`;
    setText(byId('room-count'), sentences.countOf(state.others.length + 1));
    byId('room-locked').hidden = !state.room.locked;
    const broken = phase !== 'joined';
    byId('banner').hidden = !broken;
    setText(byId('banner-sentence'), broken ? sentences.reconnecting : '');
    if (this.panels.open === 'chat') this.call.readChat();
    renderToolbar({
      microphone: this.media.isHeard, camera: this.media.isSeen, screen: this.media.isSharing, hand: Boolean(state.you?.hand),
      chat: this.panels.open === 'chat', people: this.panels.open === 'people', view: this.stage.view === 'speaker',
    }, { canShare: canShareScreen(), unread: this.call.unread, waiting: state.you?.role === 'host' ? state.waiting.length : 0 });
    this.chat.render(state.chat, state.you?.sid);
    this.people.render(state);
    this.stage.render(state);
  }
}

new Page();
