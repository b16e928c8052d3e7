// SPDX-License-Identifier: Apache-2.0
// Where the parts of the room lie: beside the folder of this module, whatever the invitation's token is.

const PLACE = new URL('..', import.meta.url);

/** @param {string} path under the room @returns {string} */
export const httpUrl = (path) => new URL(path, PLACE).href;

/** The room's WebSocket. */
export const socketUrl = () => {
  const url = new URL('socket', PLACE);
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  return url.href;
};

export const SUBPROTOCOL = 'tactus.room.1';
