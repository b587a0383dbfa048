// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.talos.server.http.stream.incoming.MessageDecoder;
import org.talos.server.memory.MemoryBudget;
import org.talos.thrift.MessageBlock;

/** Tests the memory that a stream holds, also for clients that do not read, and that it is released. */
class StreamMemoryTest extends HandDrivenSession {
    @Test
    void putWithoutMemoryIsRefusedInItsTurnAndThoseBehindItContinue() throws Exception {
        put(0, 0, 1);
        budget.of("other").take(budget.limit());
        put(0, 0, 2);
        budget.of("other").release(budget.limit());
        put(Sent.ORDERED, 0, 3);
        put(0, 0, 4);
        List<InFlightPut> begun = begun();
        assertThat(numbers(begun)).containsExactly(1L);

        stored(begun.get(0));

        assertThat(numbers(begun())).containsExactly(4L);
        assertThat(written())
                .filteredOn(each -> each.name().equals("REFUSED"))
                .extracting(Received::code)
                .containsExactly("no-memory", "put-before-refused");
    }

    @Test
    void clientWhoGrantsWithoutReadingIsSentNoMoreThanTheWindow() throws Exception {
        send(Sent.subscribe(0, 0));
        found(nextRead(), 9, block(0, 1, WINDOW - BLOCK_HEAD));

        send(Sent.credit(Integer.MAX_VALUE));

        assertThat(session.nextWork()).isNull();
        assertThat(writtenNames()).contains("BLOCK");
        assertThat(nextRead().maxBytes()).isEqualTo(WINDOW);
    }

    @Test
    void subscriptionWithoutMemoryIsEnded() throws Exception {
        budget.of("other").take(budget.limit());

        send(Sent.subscribe(0, 0));

        assertThat(session.nextWork()).isNull();
        assertThat(written().get(1).code()).isEqualTo("no-memory");
    }

    @Test
    void nothingFurtherIsReadFromAClientWhoLeavesItsAnswersUnread() throws Exception {
        session = session(new StreamTerms(1 << 20, 1 << 20, 4, true), new MemoryBudget(1 << 23));
        decoder = new MessageDecoder(session);
        int sent = 0;
        while (session.wantsMore()) {
            send(Sent.putMessage(0, 9, sent, "", ""));
            sent++;
        }
        assertThat(sent).isEqualTo(4_096);

        assertThat(writtenNames()).isNotEmpty();

        assertThat(session.wantsMore()).isTrue();
    }

    @Test
    void refusedCommitsThatNobodyReadsAreCountedAndEndTheReadingOnceThereIsNoMemory() throws Exception {
        session = session(new StreamTerms(WINDOW, WINDOW, 4, true), new MemoryBudget(100_000));
        decoder = new MessageDecoder(session);
        int sent = 0;
        while (session.wantsMore()) {
            send(Sent.commit(0, sent));
            sent++;
        }
        assertThat(sent).isBetween(50, 400);

        assertThat(writtenNames()).hasSize(1 + sent);

        assertThat(session.wantsMore()).isTrue();
    }

    @Test
    void putsForWhichThereIsNoMemoryEndTheReadingUntilTheirAnswersAreRead() throws Exception {
        session = session(new StreamTerms(1 << 20, 1 << 20, 4, true), new MemoryBudget(20_000));
        decoder = new MessageDecoder(session);
        int sent = 0;
        while (session.wantsMore()) {
            send(Sent.putMessage(0, 9, sent, "", ""));
            sent++;
        }
        assertThat(sent).isLessThan(40);

        assertThat(writtenNames()).isNotEmpty();

        assertThat(session.wantsMore()).isTrue();
    }

    @Test
    void clientWhoHasManyBlocksToReadIsReadFromAllTheSame() throws Exception {
        session = session(new StreamTerms(1 << 20, 1 << 20, 4, true), new MemoryBudget(1 << 23));
        decoder = new MessageDecoder(session);
        send(Sent.subscribe(0, 0));
        MessageBlock[] blocks = new MessageBlock[5_000];
        Arrays.setAll(blocks, i -> block(i, 1, 1));

        found(nextRead(), blocks.length, blocks);

        assertThat(session.wantsMore()).isTrue();
        assertThat(writtenNames()).filteredOn("BLOCK"::equals).hasSizeGreaterThan(4_096);
    }

    @Test
    void endGivesBackWhatIsHeldAndWhatIsUnderWayGivesItBackLater() throws Exception {
        put(0, 0, 1);
        put(0, 0, 2);
        put(Sent.ORDERED, 0, 3);
        send(Sent.subscribe(0, 0));
        StreamWork.BeginPut first = (StreamWork.BeginPut) session.nextWork();
        StreamWork.BeginPut second = (StreamWork.BeginPut) session.nextWork();
        StreamWork.Read read = nextRead();
        stored(Objects.requireNonNull(second).put());
        Outgoing opened = session.nextOutgoing();

        session.end();
        session.unwritten(Objects.requireNonNull(opened));
        assertThat(delivered).as("stored and not answered").contains(false);
        stored(Objects.requireNonNull(first).put());
        found(read, 9, block(0, 9, 100));

        assertThat(delivered).containsExactly(false, false);
        assertThat(budget.used()).isZero();
    }

    @Test
    void endWithinAPutGivesBackItsMemory() throws Exception {
        byte[] put = Sent.put(0, 0, 1, "message");
        assertThat(decoder.take(ByteBuffer.wrap(put, 0, 40), false)).isNull();
        assertThat(budget.used()).isPositive();

        session.end();

        assertThat(budget.used()).isZero();
    }
}
