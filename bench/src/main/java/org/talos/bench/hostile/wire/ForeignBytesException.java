// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A connection received bytes that are not meant for it. Immutable. */
public final class ForeignBytesException extends IOException {
    private static final long serialVersionUID = 1;
    private static final int MOST_SHOWN = 80;

    private final String what;

    /** Creates the exception; the message shows the first remaining bytes. */
    public ForeignBytesException(String reason, ByteBuffer bytes) {
        this(reason + ": " + shown(bytes.duplicate()));
    }

    private ForeignBytesException(String what) {
        super(what);
        this.what = what;
    }

    /** Returns what was received, for a person. */
    public String what() {
        return what;
    }

    private static String shown(ByteBuffer bytes) {
        bytes.limit(Math.min(bytes.limit(), bytes.position() + MOST_SHOWN));
        String text = StandardCharsets.ISO_8859_1.decode(bytes).toString();
        return text.replaceAll("[^ -~]", ".");
    }
}
