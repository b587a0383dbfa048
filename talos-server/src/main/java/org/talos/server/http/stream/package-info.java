// SPDX-License-Identifier: Apache-2.0
/**
 * Streams: puts and gets of one topic over a WebSocket, in the format of docs/formats/stream.md.
 * {@link org.talos.server.http.stream.StreamSession} decides everything, without threads and without I/O.
 * {@link org.talos.server.http.stream.StreamSocket} connects it to a connection and to the server's calls. No thread
 * waits.
 */
@NullMarked
package org.talos.server.http.stream;

import org.jspecify.annotations.NullMarked;
