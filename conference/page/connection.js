// SPDX-License-Identifier: Apache-2.0
// The life of the page's connection to the room, as a pure state machine: socket.js acts it out.

/**
 * idle: nothing yet. connecting: a WebSocket is opened, or the join is not answered yet. waiting: in the lobby.
 * joined: in the room. retrying: the connection broke; a new one follows after backOff(). ended: for good, see `ending`.
 * @typedef {'idle'|'connecting'|'waiting'|'joined'|'retrying'|'ended'} Phase
 * @typedef {{phase: Phase, session: string|null, attempt: number, wasIn: boolean,
 *            ending: string|null, sentence: string|null}} Connection
 */

/** Broken connections in a row after which the page gives up: about 90 s. */
export const MOST_ATTEMPTS = 14;
/** The same, if the room was never reached: about 5 s. */
export const MOST_FIRST_ATTEMPTS = 4;

/** @returns {Connection} */
export const idle = () => ({ phase: 'idle', session: null, attempt: 0, wasIn: false, ending: null, sentence: null });

/** Milliseconds until the next attempt: 0.5 s doubled each time, at most 8 s. @param {number} attempt from 1 */
export const backOff = (attempt) => Math.min(500 * 2 ** (attempt - 1), 8000);

const ended = (connection, ending, sentence = null) =>
  ({ ...connection, phase: 'ended', session: null, attempt: 0, ending, sentence });

function broken(connection) {
  const attempt = connection.attempt + 1;
  const most = connection.wasIn ? MOST_ATTEMPTS : MOST_FIRST_ATTEMPTS;
  if (attempt > most) return ended(connection, 'unreachable');
  return { ...connection, phase: 'retrying', attempt };
}

function refused(connection, message) {
  // The stay to be resumed is over; the invitation may still be good.
  if (message.reason === 'expired' && connection.session) return { ...connection, phase: 'connecting', session: null };
  const denied = message.reason === 'removed' && connection.phase === 'waiting';
  return ended(connection, denied ? 'denied' : message.reason, message.message ?? null);
}

function received(connection, message) {
  switch (message.type) {
    case 'joined':
      return { ...connection, phase: 'joined', session: message.session, attempt: 0, wasIn: true };
    case 'waiting':
      return { ...connection, phase: 'waiting', attempt: 0, wasIn: true };
    case 'refused':
      return refused(connection, message);
    case 'closed':
      return ended(connection, message.reason, message.message ?? null);
    default:
      return connection;
  }
}

/**
 * The connection after an event: join (the user asks for it), message (from the server), broken (the WebSocket closed
 * or is silent), retry (the time of backOff() is over, or the user asks for it), leave (the user).
 * @param {Connection} connection
 * @param {{type: 'join'|'message'|'broken'|'retry'|'leave', message?: object}} event
 * @returns {Connection} the same object if nothing changes
 */
export function step(connection, event) {
  const { phase } = connection;
  const live = phase === 'connecting' || phase === 'waiting' || phase === 'joined';
  switch (event.type) {
    case 'join':
      return phase === 'idle' || phase === 'ended' ? { ...idle(), phase: 'connecting' } : connection;
    case 'message':
      return live ? received(connection, event.message) : connection;
    case 'broken':
      return live ? broken(connection) : connection;
    case 'retry':
      return phase === 'retrying' ? { ...connection, phase: 'connecting' } : connection;
    case 'leave':
      return phase === 'idle' || phase === 'ended' ? connection : ended(connection, 'left');
    default:
      return connection;
  }
}
