// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
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
    private final List<SearchLines> others = new ArrayList<>();
    private @Nullable List<ByteBuffer> finished; // its own lines, to which none is added any more
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

    /** Appends the lines of another instance. They are released with these. */
    void add(SearchLines other) {
        others.add(other);
        count += other.count;
    }

    /** Releases the memory that its own lines do not use. None is added to them after that. */
    void finish() {
        var unused = finished();
    }

    private List<ByteBuffer> finished() {
        List<ByteBuffer> all = finished;
        if (all == null) {
            all = lines.written();
            finished = all;
        }
        return all;
    }

    /** Returns the number of messages. */
    int count() {
        return count;
    }

    /** Returns the bytes of its own lines. */
    long bytes() {
        return lines.bytes();
    }

    /** Returns the bytes that are reserved for its own lines. */
    long reservedBytes() {
        return lines.reservedBytes();
    }

    /** Returns all lines as a piece, which releases their memory, with one more behind them. */
    Piece with(@Nullable ObjectNode last) {
        List<Body> all = new ArrayList<>(others.size() + 2);
        all.add(new Bytes(finished()));
        others.forEach(each -> all.add(new Bytes(each.finished())));
        if (last != null) {
            all.add(new Bytes(List.of(line(last))));
        }
        return new Piece(all.size() == 1 ? all.get(0) : Sequence.of(all), this::close);
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
        others.forEach(SearchLines::close);
    }
}
