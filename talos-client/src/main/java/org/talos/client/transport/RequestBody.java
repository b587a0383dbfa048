// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.common.auth.RequestSignature;

/** The bytes of a request in pieces, which are sent as they are. Immutable, but for the bytes. */
final class RequestBody {
    private final List<ByteBuffer> parts;

    /** Creates a body of one or more buffers, which are not empty and do not change. */
    RequestBody(List<ByteBuffer> parts) {
        this.parts = List.copyOf(parts);
    }

    /** Its MD5 as 32 hex digits. */
    String md5Hex() {
        return RequestSignature.md5Hex(parts);
    }

    /** Its bytes in order; positions and limits are not to be moved. */
    List<ByteBuffer> parts() {
        return parts;
    }

    /** Returns its length in bytes. */
    long contentLength() {
        return parts.stream().mapToLong(ByteBuffer::remaining).sum();
    }
}
