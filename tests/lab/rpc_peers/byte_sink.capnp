# SPDX-License-Identifier: Apache-2.0
# Buffers one way: what rtss-throughput sends over Cap'n Proto.
@0xd9a3c5f0b7e14c62;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("tactus::lab");

interface ByteSink {
  write @0 (content :Data) -> stream;
}
