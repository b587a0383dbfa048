// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.http.stream.incoming.MessageDecoder;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetched;
import org.talos.server.service.message.StoredPut;
import org.talos.server.storage.LogId;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** A stream without its connection: what comes, what ends and what is written comes by hand. Confined: one test. */
abstract class HandDrivenSession {
    static final int WINDOW = 100_000;
    static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 0);
    static final Problem FAILED = Problem.refused(503, "storage-failed", "storage has failed");
    static final int BLOCK_HEAD = 60;

    final MemoryBudget budget = new MemoryBudget(1 << 20);
    final List<Boolean> delivered = new ArrayList<>();
    final FourPlaces places = new FourPlaces();
    private MemoryBudget sessionBudget = budget;
    StreamSession session = session(true);
    MessageDecoder decoder = new MessageDecoder(session);

    StreamSession session(boolean mayPut) {
        return session(new StreamTerms(WINDOW, WINDOW, 4, mayPut), budget);
    }

    StreamSession session(StreamTerms terms, MemoryBudget from) {
        sessionBudget = from;
        return new StreamSession(terms, ServerMessages.BINARY, places, new RequestMemory(from.of("user")));
    }

    void send(byte[] bytes) throws StreamEndException {
        ClientMessage message = decoder.take(ByteBuffer.wrap(bytes), true);
        session.received(Objects.requireNonNull(message));
    }

    void put(int flags, int partition, long number) throws StreamEndException {
        send(Sent.put(flags, partition, number, "m"));
    }

    /** The numbers of all puts that are to be begun now, which they then are. */
    List<InFlightPut> begun() {
        List<InFlightPut> begun = new ArrayList<>();
        for (StreamWork work = session.nextWork(); work != null; work = session.nextWork()) {
            begun.add(((StreamWork.BeginPut) work).put());
        }
        return begun;
    }

    static List<Long> numbers(List<InFlightPut> puts) {
        return puts.stream().map(InFlightPut::number).toList();
    }

    StreamWork.Read nextRead() {
        return (StreamWork.Read) Objects.requireNonNull(session.nextWork());
    }

    void stored(InFlightPut put) {
        session.stored(put, new StoredPut(put.number() * 10, delivered::add));
    }

    /** All that is to be written now, which it then is. */
    List<Received> written() {
        List<Received> all = new ArrayList<>();
        for (Outgoing next = session.nextOutgoing(); next != null; next = session.nextOutgoing()) {
            ByteBuffer whole = ByteBuffer.allocate((int) next.remaining());
            next.parts().forEach(part -> whole.put(part.duplicate()));
            all.add(new Received(whole.array()));
            session.written(next);
        }
        return all;
    }

    List<String> writtenNames() {
        return written().stream().map(Received::name).toList();
    }

    static MessageBlock block(long offset, int messages, int bytes) {
        MessageBlock block =
                new MessageBlock(offset, messages, MessageCompressionType.NONE, ByteBuffer.allocate(bytes));
        block.setAppendTimestamp(1);
        return block;
    }

    void found(StreamWork.Read read, long end, MessageBlock... blocks) {
        session.read(
                read.subscription(),
                Found.blocks(
                        0, new Fetched(LOG, 0, end, List.of(blocks)), new RequestMemory(sessionBudget.of("user"))));
    }
}
