// SPDX-License-Identifier: Apache-2.0
/**
 * The protocol between servers, byte by byte (docs/formats/transfer.md): handshake, frames and their MACs, requests and
 * answers. The structs are generated from transfer.thrift. Uses no thread.
 */
@NullMarked
package org.talos.server.transfer.wire;

import org.jspecify.annotations.NullMarked;
