// SPDX-License-Identifier: Apache-2.0
// What the page knows of the room: a pure function of the server's messages.

/**
 * @typedef {{pictures: 'smaller'|'fewer'|'none', limit: string, carried?: number, lost?: number}} Delivery
 *   how another's track reaches you, if not whole; carried: kbit/s; lost: share of the packets, 0 to 1
 * @typedef {{sid: string, kind: string, source: string, muted: boolean, width?: number, height?: number,
 *            delivery?: Delivery|null}} Track
 * @typedef {{sid: string, name: string, role: string, hand: boolean, quality: string, tracks: Track[]}} Participant
 * @typedef {{room: object, you: Participant|null, others: Participant[], chat: object[], speakers: object[],
 *            waiting: object[]}} RoomState
 */

const MOST_LINES = 500;  // of chat

/** @returns {RoomState} */
export const emptyRoom = () =>
  ({ room: { name: '', locked: false, lobby: false }, you: null, others: [], chat: [], speakers: [], waiting: [] });

/** You first, then the others in the order in which they came. @param {RoomState} state @returns {Participant[]} */
export const everybody = (state) => (state.you ? [state.you, ...state.others] : state.others);

/** @param {RoomState} state @param {string} sid @returns {Participant|undefined} */
export const participantOf = (state, sid) => everybody(state).find((each) => each.sid === sid);

function changed(state, sid, change) {
  if (state.you?.sid === sid) return { ...state, you: change(state.you) };
  return { ...state, others: state.others.map((each) => (each.sid === sid ? change(each) : each)) };
}

const withTrack = (participant, track) =>
  ({ ...participant, tracks: [...participant.tracks.filter((each) => each.sid !== track.sid), track] });

const withoutTrack = (participant, sid) =>
  ({ ...participant, tracks: participant.tracks.filter((each) => each.sid !== sid) });

const changedTrack = (participant, sid, change) =>
  ({ ...participant, tracks: participant.tracks.map((each) => (each.sid === sid ? { ...each, ...change } : each)) });

function withDelivery(state, { track, pictures, limit, carried, lost }) {
  const delivery = pictures === 'whole' ? null : { pictures, limit, carried, lost };
  return { ...state, others: state.others.map((each) => changedTrack(each, track, { delivery })) };
}

function withParticipant(state, participant) {
  if (state.you?.sid === participant.sid) return { ...state, you: participant };
  const known = state.others.some((each) => each.sid === participant.sid);
  return known ? changed(state, participant.sid, () => participant) : { ...state, others: [...state.others, participant] };
}

const without = (state, sid) => ({
  ...state,
  others: state.others.filter((each) => each.sid !== sid),
  speakers: state.speakers.filter((each) => each.sid !== sid),
});

const MESSAGES = {
  joined: (state, { room, you, participants, chat }) => ({ ...emptyRoom(), room, you, others: participants, chat }),
  participant_joined: (state, { participant }) => withParticipant(state, participant),
  participant_left: (state, { sid }) => without(state, sid),
  published: (state, { track }) => changed(state, state.you?.sid, (you) => withTrack(you, track)),
  track_published: (state, { sid, track }) => changed(state, sid, (each) => withTrack(each, track)),
  track_unpublished: (state, { sid, track }) => changed(state, sid, (each) => withoutTrack(each, track)),
  track_muted: (state, { sid, track, muted }) => changed(state, sid, (each) => changedTrack(each, track, { muted })),
  track_delivery: withDelivery,
  quality: (state, { sid, quality }) => changed(state, sid, (each) => ({ ...each, quality })),
  hand: (state, { sid, raised }) => changed(state, sid, (each) => ({ ...each, hand: raised })),
  speakers: (state, { speakers }) => ({ ...state, speakers }),
  chat: (state, line) => ({ ...state, chat: [...state.chat, line].slice(-MOST_LINES) }),
  room_updated: (state, { room }) => ({ ...state, room }),
  waiting_list: (state, { waiting }) => ({ ...state, waiting }),
};

/**
 * The room after a message of the server.
 * @param {RoomState} state
 * @param {object} message
 * @returns {RoomState} the same object if the message says nothing of the room
 */
export const apply = (state, message) =>
  (Object.hasOwn(MESSAGES, message.type) ? MESSAGES[message.type](state, message) : state);
