// SPDX-License-Identifier: Apache-2.0
// How well the page's own connection carries the call, from the figures of its peers (webrtc-stats).

/** @typedef {{sent: number, received: number, lost: number, rtt: number}} Figures sums of packets; rtt: longest, seconds */

const GOOD = { loss: 0.02, rtt: 0.25 };  // better than these: excellent
const POOR = { loss: 0.08, rtt: 0.6 };  // worse than these: poor

/**
 * The sums of all connections.
 * @param {RTCPeerConnection[]} connections
 * @returns {Promise<Figures>}
 */
export async function figuresOf(connections) {
  const figures = { sent: 0, received: 0, lost: 0, rtt: 0 };
  for (const report of await Promise.all(connections.map((pc) => pc.getStats().catch(() => new Map()))))
    for (const stat of report.values()) add(figures, stat);
  return figures;
}

function add(figures, stat) {
  if (stat.type === 'inbound-rtp') figures.received += stat.packetsReceived ?? 0;
  if (stat.type === 'outbound-rtp') figures.sent += stat.packetsSent ?? 0;
  if (stat.type === 'inbound-rtp' || stat.type === 'remote-inbound-rtp') figures.lost += Math.max(stat.packetsLost ?? 0, 0);
  if (stat.type === 'candidate-pair' && stat.nominated) figures.rtt = Math.max(figures.rtt, stat.currentRoundTripTime ?? 0);
}

/**
 * The quality between two looks.
 * @param {Figures} before
 * @param {Figures} now
 * @returns {'excellent'|'good'|'poor'|null} null: too few packets to say
 */
export function judge(before, now) {
  const lost = now.lost - before.lost;
  const carried = now.sent - before.sent + now.received - before.received;
  if (carried + lost < 50 || lost < 0 || carried < 0) return null;  // connections that went took their packets along
  const loss = lost / (carried + lost);
  if (loss > POOR.loss || now.rtt > POOR.rtt) return 'poor';
  return loss > GOOD.loss || now.rtt > GOOD.rtt ? 'good' : 'excellent';
}
