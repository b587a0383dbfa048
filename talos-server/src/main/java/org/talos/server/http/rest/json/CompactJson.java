// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import java.nio.ByteBuffer;
import org.talos.server.http.body.Body;

/**
 * A JSON value as it was sent, without the white space between its tokens: so it stands on one line.
 *
 * <p>Confined: the writer of one answer.
 */
final class CompactJson implements Body {
    private final ByteBuffer json;
    private boolean inText;
    private boolean isEscaped;

    /** @param json one value that {@link Json#isValue} accepts; the buffer's position stays */
    CompactJson(ByteBuffer json) {
        this.json = json.duplicate();
    }

    @Override
    public void fill(ByteBuffer target) {
        while (json.hasRemaining() && target.hasRemaining()) {
            byte next = json.get();
            if (inText) {
                inText = isEscaped || next != '"';
                isEscaped = !isEscaped && next == '\\';
            } else if (next == ' ' || next == '\t' || next == '\n' || next == '\r') {
                continue;
            } else {
                inText = next == '"';
            }
            target.put(next);
        }
    }

    @Override
    public boolean isDone() {
        return !json.hasRemaining();
    }

    @Override
    public long mostBytes() {
        return json.remaining();
    }
}
