// SPDX-License-Identifier: Apache-2.0
// All that the page says to people.

/** Texts of controls, by the names that index.html uses in data-text, data-label and data-hint. */
export const TEXTS = {
  prejoinTitle: 'Join the room',
  previewLabel: 'Your camera',
  nameLabel: 'Your name',
  meterLabel: 'Microphone level',
  join: 'Join',
  leave: 'Leave the room',
  lockedChip: 'Locked',
  settings: 'Settings',
  stageLabel: 'Pictures',
  chat: 'Chat',
  closeChat: 'Close the chat',
  chatLines: 'Messages',
  chatLabel: 'Message to everybody',
  chatHint: 'Write to everybody',
  send: 'Send',
  people: 'Participants',
  closePeople: 'Close the list of participants',
  waitingHead: 'Waiting to be let in',
  inTheRoom: 'In the room',
  hostTools: 'Room',
  lock: 'Lock the room: nobody else gets in',
  lobby: 'Guests wait until a host lets them in',
  invite: 'Copy an invitation link',
  toolbarLabel: 'Call',
  keysHead: 'Keys',
  done: 'Done',
  cancel: 'Cancel',
  microphone: 'Microphone',
  camera: 'Camera',
  speaker: 'Loudspeaker',
  admit: 'Let in',
  deny: 'Refuse',
  mute: 'Mute',
  unmute: 'Unmute',
  remove: 'Remove',
  tryAgain: 'Try again',
  joinAgain: 'Join again',
  tryNow: 'Try now',
  turnOnSound: 'Turn on the sound',
  pin: 'Pin',
  unpin: 'Unpin',
  fullScreen: 'Full screen',
  priority: 'Priority',
  you: 'you',
  host: 'host',
  muted: 'Muted',
  notMuted: 'Not muted',
  handRaised: 'Hand raised',
  lostTile: 'Connection lost',
  connectingTile: 'Connecting …',
  failedTile: 'No connection to this picture',
  tellThem: 'Tell them in the chat',
};

/** Texts of buttons that switch something: what a press does now, and the key that does the same. */
export const SWITCHES = {
  microphone: { on: 'Mute the microphone', off: 'Unmute the microphone', key: 'M' },
  camera: { on: 'Turn off the camera', off: 'Turn on the camera', key: 'V' },
  screen: { on: 'Stop sharing the screen', off: 'Share the screen', key: 'S' },
  hand: { on: 'Lower your hand', off: 'Raise your hand', key: 'H' },
  chat: { on: 'Close the chat', off: 'Open the chat', key: 'C' },
  people: { on: 'Close the participants', off: 'Open the participants', key: 'P' },
  view: { on: 'Show everybody in a grid', off: 'Show who speaks large', key: 'G' },
};

/** Keys and what they do, in the order of the settings. */
export const KEYS = [
  ['M', 'microphone on or off'], ['Space', 'held: talk while muted'], ['V', 'camera on or off'],
  ['S', 'share the screen'], ['H', 'raise or lower your hand'], ['C', 'chat'], ['P', 'participants'],
  ['G', 'grid, or the speaker large'], ['Enter', 'on a picture: pin it'],
];

export const PRIORITIES = { high: 'High priority', normal: 'Normal priority', low: 'Low priority' };

export const QUALITIES = {
  excellent: 'Connection: excellent',
  good: 'Connection: good',
  poor: 'Connection: poor',
  lost: 'Connection lost; waiting for the participant to come back',
};

/** Why there is no microphone or no camera, by what media_devices.js found. */
const DEVICE_PROBLEMS = {
  denied: (device) => `The browser does not allow this page to use the ${device}. Allow it in the address bar, then turn it on.`,
  absent: (device) => `No ${device} was found. You can join without it.`,
  busy: (device) => `The ${device} is in use by another program. Close that program, then turn it on.`,
  insecure: (device) => `The ${device} needs an address that begins with https://. You can join and watch without it.`,
  unplugged: (device) => `The ${device} was unplugged.`,
  failed: (device) => `The ${device} could not be started.`,
};

/**
 * @param {'microphone'|'camera'} device
 * @param {string} problem a key of DEVICE_PROBLEMS
 */
export const deviceProblem = (device, problem) => (DEVICE_PROBLEMS[problem] ?? DEVICE_PROBLEMS.failed)(device);

/** The same, where both have the same problem. */
const BOTH_PROBLEMS = {
  denied: 'The browser does not allow this page to use microphone and camera. Allow them in the address bar, or join without them.',
  absent: 'No microphone and no camera were found. You can join without them.',
  insecure: 'Microphone and camera need an address that begins with https://. You can join and watch without them.',
};

/** @param {{microphone: string|null, camera: string|null}} problems as deviceProblem() takes them @returns {string} may be empty */
export function deviceProblems(problems) {
  if (problems.microphone === problems.camera && problems.camera in BOTH_PROBLEMS) return BOTH_PROBLEMS[problems.camera];
  const found = Object.entries(problems).filter(([, problem]) => problem);
  return found.map(([device, problem]) => deviceProblem(device, problem)).join(' ');
}

/** What the page shows instead of the room: a heading and a sentence, by the state of the connection. */
export const NOTICES = {
  connecting: ['Joining …', 'The page connects to the room.'],
  waiting: ['Please wait', 'A host of the room was told that you are here and will let you in.'],
  locked: ['The room is locked', 'A host locked the room, so nobody else gets in at the moment.'],
  full: ['The room is full', 'Nobody else fits into the room at the moment.'],
  denied: ['You were not let in', 'A host did not let you into the room.'],
  removed: ['You were removed', 'A host removed you from the room.'],
  expired: ['The invitation is over', 'This invitation is not valid any more. Ask a host of the room for a new link.'],
  name: ['A name is needed', 'Enter a name with at least one letter or digit.'],
  left: ['You left the room', 'You can close this tab, or join again.'],
  resumed: ['You joined elsewhere', 'You are in the room in another tab or program.'],
  flood: ['Disconnected', 'This page sent more messages than the room allows.'],
  room_ends: ['The room has ended', 'The program that hosts the room was closed.'],
  unreachable: ['The room cannot be reached',
    'The program that hosts the room does not answer. It may have been closed, or the network is down.'],
};

/** @param {string} reason @returns {[string, string]} heading and sentence */
export const noticeOf = (reason) => NOTICES[reason] ?? NOTICES.unreachable;

export const reconnecting = 'The connection to the room broke. The page tries to connect again …';
export const cameraIsOff = 'Your camera is off.';
export const alone = 'Nobody else is here yet.';
export const mutedByHost = 'A host muted you. Press M to unmute.';
export const askToLeaveAsHost = 'You are a host of this room. It goes on without you. Leave it?';
export const soundBlocked = 'The browser holds back the sound of this page.';
export const linkCopied = 'An invitation link was copied. Send it to whoever is to join.';
export const linkNotCopied = (link) => `Copy this link: ${link}`;
export const screenFailed = 'The screen could not be shared.';
export const notPublished = 'Your sound and picture do not reach the room. The page tries again.';
export const nameMissing = 'Enter your name to join.';
export const chatTooLong = 'The message is too long. Send it in parts.';
export const chatNotSent = 'The message was not sent, because the connection is broken.';
export const toldInChat = 'The message was sent to the chat.';
export const waitsToEnter = (name) => `${name} waits to be let in.`;
export const joined = (name) => `${name} joined.`;
export const sharesScreen = (name) => `${name} shares a screen.`;
export const raisedHand = (name) => `${name} raised a hand.`;
export const askToRemove = (name) => `Remove ${name} from the room?`;
export const screenOf = (name) => `Screen of ${name}`;
export const optionsOf = (name) => `Options for ${name}`;
export const chatFrom = (name) => `New message from ${name}`;
export const yourself = (name) => `${name} (you)`;
export const pinOf = (name) => `Pin ${name}`;
export const unpinOf = (name) => `Unpin ${name}`;
export const andMore = (count) => `${count} more`;
export const countOf = (count) => (count === 1 ? '1 person' : `${count} people`);
export const unread = (count) => (count === 1 ? '1 unread message' : `${count} unread messages`);

/** What the user sees of a track that is not delivered whole, by the server's word; `beyond`: what the sender's program does not send. */
export const PICTURES = {
  smaller: { chip: 'smaller picture', seen: 'a smaller picture', beyond: 'no larger one' },
  fewer: { chip: 'fewer pictures', seen: 'fewer pictures', beyond: 'no more' },
  none: { chip: 'no picture', seen: 'no picture', beyond: 'none' },
};
/** @param {number} carried kbit/s */
export const carries = (carried) => (carried < 1000 ? `carries ${carried} kbit/s` : `carries ${(carried / 1000).toFixed(1)} Mbit/s`);
/** @param {number} lost share, 0 to 1 */
export const loses = (lost) => `loses ${Math.round(lost * 100)} % of the packets`;
export const carriesTooLittle = 'carries too little';
export const isBusy = 'is busy';
export const sendsNot = (beyond) => `sends ${beyond}`;
export const faultOf = (yours, thing) => `${yours ? 'your' : 'their'} ${thing}`;
export const deliveryChip = (fault, chip) => `${fault}: ${chip}`;
export const deliverySentence = (name, seen, fault, does) => `${name} shows ${seen}: ${fault} ${does}.`;
export const complaint = (name, seen, screen, fault, does) =>
  `@${name}: I see ${seen} of ${screen ? 'your screen' : 'you'}: ${fault} ${does}.`;

const DEPARTURES = {
  left: (name) => `${name} left.`,
  removed: (name) => `${name} was removed by a host.`,
  lost: (name) => `${name} lost the connection.`,
  flood: (name) => `${name} was disconnected.`,
};
/** @param {string} name @param {string} reason of participant_left */
export const departed = (name, reason) => (DEPARTURES[reason] ?? DEPARTURES.left)(name);

/** Text of a switching button. @param {keyof SWITCHES} name @param {boolean} on */
export const switchText = (name, on) => `${on ? SWITCHES[name].on : SWITCHES[name].off} (${SWITCHES[name].key})`;
