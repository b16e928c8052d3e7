// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tactus::media {

/// Chromium 156, camera and microphone; formats that rooms do not carry are left out.
inline const std::string kChromiumOffer = std::string(R"(v=0
o=- 8092533361450529296 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0 1
a=extmap-allow-mixed
a=msid-semantic: WMS 3defe9ca-4c35-4349-8afb-03785f92cf91
m=audio 54569 UDP/TLS/RTP/SAVPF 111
c=IN IP4 192.0.2.7
a=rtcp:9 IN IP4 0.0.0.0
a=candidate:302233008 1 udp 2122194687 192.0.2.7 54569 typ host generation 0 network-id 1
a=candidate:3647304784 1 udp 2122265343 2001:db8::2 42061 typ host generation 0 network-id 2
a=candidate:3970523428 1 tcp 1518214911 192.0.2.7 9 typ host tcptype active generation 0 network-id 1
a=candidate:667918532 1 tcp 1518285567 2001:db8::2 9 typ host tcptype active generation 0 network-id 2
a=ice-ufrag:/QZP
a=ice-pwd:DIV+rhabKltLnCkkwGGWGWd8
a=ice-options:trickle
a=fingerprint:sha-256 35:76:A1:D1:31:A8:A8:9C:34:11:72:42:6E:84:EB:D9:57:21:42:B4:A1:DF:D9:1E:BC:86:)"
                                                      R"(AC:7C:60:BE:F1:11
a=setup:actpass
a=mid:0
a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
a=sendonly
a=msid:3defe9ca-4c35-4349-8afb-03785f92cf91 ed81c952-46e8-4d86-b8a0-d361b1af577c
a=rtcp-mux
a=rtcp-rsize
a=rtcp-xr:rcvr-rtt=all
a=rtpmap:111 opus/48000/2
a=rtcp-fb:111 transport-cc
a=fmtp:111 minptime=10;useinbandfec=1
a=ssrc:392192238 cname:ZXA8b5Vy6Rzery3v
a=ssrc:392192238 msid:3defe9ca-4c35-4349-8afb-03785f92cf91 ed81c952-46e8-4d86-b8a0-d361b1af577c
m=video 9 UDP/TLS/RTP/SAVPF 96 97 102 103 108 109
c=IN IP4 0.0.0.0
a=rtcp:9 IN IP4 0.0.0.0
a=ice-ufrag:/QZP
a=ice-pwd:DIV+rhabKltLnCkkwGGWGWd8
a=ice-options:trickle
a=fingerprint:sha-256 35:76:A1:D1:31:A8:A8:9C:34:11:72:42:6E:84:EB:D9:57:21:42:B4:A1:DF:D9:1E:BC:86:)"
                                                      R"(AC:7C:60:BE:F1:11
a=setup:actpass
a=mid:1
a=extmap:14 urn:ietf:params:rtp-hdrext:toffset
a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
a=extmap:13 urn:3gpp:video-orientation
a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
a=extmap:6 http://www.webrtc.org/experiments/rtp-hdrext/video-content-type
a=extmap:7 http://www.webrtc.org/experiments/rtp-hdrext/video-timing
a=extmap:8 http://www.webrtc.org/experiments/rtp-hdrext/color-space
a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
a=sendonly
a=msid:3defe9ca-4c35-4349-8afb-03785f92cf91 35bbd921-f65c-439a-be15-336058b9d1c0
a=rtcp-mux
a=rtcp-rsize
a=rtcp-xr:rcvr-rtt=all
a=rtpmap:96 VP8/90000
a=rtcp-fb:96 goog-remb
a=rtcp-fb:96 transport-cc
a=rtcp-fb:96 ccm fir
a=rtcp-fb:96 nack
a=rtcp-fb:96 nack pli
a=rtpmap:97 rtx/90000
a=fmtp:97 apt=96
a=rtpmap:102 H264/90000
a=rtcp-fb:102 goog-remb
a=rtcp-fb:102 transport-cc
a=rtcp-fb:102 ccm fir
a=rtcp-fb:102 nack
a=rtcp-fb:102 nack pli
a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f
a=rtpmap:103 rtx/90000
a=fmtp:103 apt=102
a=rtpmap:108 H264/90000
a=rtcp-fb:108 goog-remb
a=rtcp-fb:108 transport-cc
a=rtcp-fb:108 ccm fir
a=rtcp-fb:108 nack
a=rtcp-fb:108 nack pli
a=fmtp:108 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
a=rtpmap:109 rtx/90000
a=fmtp:109 apt=108
a=ssrc-group:FID 3124372880 4221722075
a=ssrc:3124372880 cname:ZXA8b5Vy6Rzery3v
a=ssrc:3124372880 msid:3defe9ca-4c35-4349-8afb-03785f92cf91 35bbd921-f65c-439a-be15-336058b9d1c0
a=ssrc:4221722075 cname:ZXA8b5Vy6Rzery3v
a=ssrc:4221722075 msid:3defe9ca-4c35-4349-8afb-03785f92cf91 35bbd921-f65c-439a-be15-336058b9d1c0
)");

/// As OBS writes it (libdatachannel): identity in the session, names of its own, no TWCC.
inline const std::string kObsOffer = std::string(R"(v=0
o=rtc 2711044262 0 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0 1
a=group:LS 0 1
a=msid-semantic:WMS *
a=setup:actpass
a=ice-ufrag:kN5B
a=ice-pwd:tsGhRh8ZbcCI5lpWBo9qAS
a=ice-options:ice2,trickle
a=fingerprint:sha-256 35:76:A1:D1:31:A8:A8:9C:34:11:72:42:6E:84:EB:D9:57:21:42:B4:A1:DF:D9:1E:BC:86:)"
                                                 R"(AC:7C:60:BE:F1:11
m=audio 9 UDP/TLS/RTP/SAVPF 111
c=IN IP4 0.0.0.0
a=mid:0
a=sendonly
a=ssrc:3108475403 cname:7qIPEWbC8DmaR9jr
a=ssrc:3108475403 msid:rDk6hXcPQb8r rDk6hXcPQb8r-audio
a=msid:rDk6hXcPQb8r rDk6hXcPQb8r-audio
a=rtcp-mux
a=rtpmap:111 opus/48000/2
a=fmtp:111 minptime=10;maxaveragebitrate=96000;stereo=1;sprop-stereo=1;useinbandfec=1
m=video 9 UDP/TLS/RTP/SAVPF 96
c=IN IP4 0.0.0.0
a=mid:1
a=sendonly
a=ssrc:3108475404 cname:7qIPEWbC8DmaR9jr
a=ssrc:3108475404 msid:rDk6hXcPQb8r rDk6hXcPQb8r-video
a=msid:rDk6hXcPQb8r rDk6hXcPQb8r-video
a=rtcp-mux
a=rtpmap:96 H264/90000
a=rtcp-fb:96 nack
a=rtcp-fb:96 nack pli
a=rtcp-fb:96 goog-remb
a=fmtp:96 profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1
)");

/// webrtcbin of GStreamer 1.22: long ICE names, bundle-only with port 0, mids that are words.
inline const std::string kGstreamerOffer = std::string(R"(v=0
o=- 1193543917345938722 0 IN IP4 0.0.0.0
s=-
t=0 0
a=ice-options:trickle
a=group:BUNDLE video0 audio1
m=video 9 UDP/TLS/RTP/SAVPF 96
c=IN IP4 0.0.0.0
a=setup:actpass
a=ice-ufrag:6yaOZ5SGA5gdcuEErVbNyzYYr65YOnZl
a=ice-pwd:ht/TBPPtyZPR1Xz3kd7VltB1Cf1Jzmhc
a=rtcp-mux
a=rtcp-rsize
a=sendrecv
a=rtpmap:96 VP8/90000
a=rtcp-fb:96 nack pli
a=framerate:25
a=ssrc:1862837386 msid:user2154312763@host-6b5dd4f2 webrtctransceiver0
a=ssrc:1862837386 cname:user2154312763@host-6b5dd4f2
a=mid:video0
a=fingerprint:sha-256 35:76:A1:D1:31:A8:A8:9C:34:11:72:42:6E:84:EB:D9:57:21:42:B4:A1:DF:D9:1E:BC:86:)"
                                                       R"(AC:7C:60:BE:F1:11
m=audio 0 UDP/TLS/RTP/SAVPF 97
c=IN IP4 0.0.0.0
a=setup:actpass
a=ice-ufrag:6yaOZ5SGA5gdcuEErVbNyzYYr65YOnZl
a=ice-pwd:ht/TBPPtyZPR1Xz3kd7VltB1Cf1Jzmhc
a=bundle-only
a=rtcp-mux
a=rtcp-rsize
a=sendrecv
a=rtpmap:97 OPUS/48000/2
a=rtcp-fb:97 nack pli
a=fmtp:97 sprop-maxcapturerate=48000;sprop-stereo=0
a=ssrc:2931183023 cname:user2154312763@host-6b5dd4f2
a=mid:audio1
a=fingerprint:sha-256 35:76:A1:D1:31:A8:A8:9C:34:11:72:42:6E:84:EB:D9:57:21:42:B4:A1:DF:D9:1E:BC:86:)"
                                                       R"(AC:7C:60:BE:F1:11
)");

}  // namespace tactus::media
