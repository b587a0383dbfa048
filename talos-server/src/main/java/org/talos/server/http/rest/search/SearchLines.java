// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.body.Chunks;
import org.talos.server.http.body.Sequence;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonFields;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.rest.stream.StreamSource.Piece;
import org.talos.server.memory.RequestMemory;
import org.talos.thrift.MessageAndOffset;

/**
 * The lines of a slice: the messages that matched. They are rendered at once, so that the slice's blocks need not be
 * kept until the client has read them.
 *
 * <p>Confined: one slice.
 */
final class SearchLines implements AutoCloseable {
    private final Chunks lines;
    private int count;

    /** @param memory of the lines alone, in which each is reserved before it is made */
    SearchLines(RequestMemory memory) {
        lines = new Chunks(memory);
    }

    /**
     * Adds a message, of whose bytes at most so many are shown.
     *
     * @throws RequestMemory.ExhaustedException there is no memory for it; it has not been added
     */
    void add(int partition, MessageAndOffset each, Form form, int mostBytes) {
        JsonFields fields = new JsonFields().number("partition", partition);
        MessageJson.addBeginningTo(fields, MessageJson.prepareBeginning(each, form, mostBytes));
        lines.add(fields.endLine());
        count++;
    }

    /** Returns how many messages there are. */
    int count() {
        return count;
    }

    /** Returns the bytes of the lines. */
    long bytes() {
        return lines.bytes();
    }

    /** Returns all lines as a piece, which releases their memory, with one more behind them. */
    Piece with(@Nullable ObjectNode last) {
        Body all = new Bytes(lines.written());
        Body more = last == null ? all : Sequence.of(List.of(all, new Bytes(List.of(line(last)))));
        return new Piece(more, lines::close);
    }

    /** Returns a small tree as a line. */
    static ByteBuffer line(ObjectNode json) {
        byte[] text = Json.write(json);
        ByteBuffer line = ByteBuffer.allocate(text.length + 1);
        return line.put(text).put((byte) '\n').flip();
    }

    /** Releases lines that are not written. May be called again. */
    @Override
    public void close() {
        lines.close();
    }
}
