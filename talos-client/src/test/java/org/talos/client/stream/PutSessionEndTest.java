// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the puts behind one that has failed, and all puts at the end. */
@Timeout(60)
class PutSessionEndTest extends HandDrivenPuts {
    @Test
    void nothingIsStoredBehindAFailedPutWithoutGaps() {
        session = session(true);
        put(0, 1);
        put(0, 2);
        put(1, 3);
        put(0, 4, 950);
        PutLink link = open();
        sent.clear();

        refused(link, 0, 1, "permission-denied-error", 403);
        put(0, 5);
        refused(link, 0, 2, "put-before-refused", 409);
        put(1, 6);

        assertThat(ended)
                .containsExactlyInAnyOrder("1 PERMISSION_DENIED_ERROR", "4 CONNECTION", "5 CONNECTION", "2 CONNECTION");
        assertThat(sent).containsExactly("a 6 ordered");
    }

    @Test
    void nothingIsStoredBehindAPutOfUnknownOutcomeWithoutGaps() {
        session = session(true);
        repeated = Duration.ZERO;
        put(0, 1);
        put(0, 2, 950);

        session.over(open(), new EOFException("cut"));

        assertThat(ended).containsExactly("1 CONNECTION unknown", "2 CONNECTION");
    }

    @Test
    void whatWasInFlightBehindAFailedPutIsNotSentAgainWithoutGaps() {
        session = session(true);
        put(0, 1);
        put(0, 2);
        put(1, 3);
        PutLink link = open();
        sent.clear();

        refused(link, 0, 1, "permission-denied-error", 403);
        session.over(link, new EOFException("cut"));
        pass(ELSEWHERE);
        open();

        assertThat(ended).containsExactly("1 PERMISSION_DENIED_ERROR", "2 CONNECTION unknown");
        assertThat(sent).containsExactly("b 3");
    }

    @Test
    void closingSaysGoodbyeAndFailsWhatIsUnderWay() {
        put(0, 1);
        put(1, 2, 950);
        PutLink link = open();

        session.close();
        put(0, 3);

        assertThat(aborted).containsExactly("closed");
        assertThat(ended).containsExactly("1 CLOSED unknown", "2 CLOSED", "3 CLOSED");
        session.over(link, new StreamClosedException(1000, ""));
        assertThat(session.isBusy()).isFalse();
    }

    @Test
    void streamThatDoesNotEndIsEndedAfterTheClosing() {
        put(0, 1);
        PutLink link = open();
        session.close();

        pass(TIMEOUT.minusSeconds(1));
        assertThat(session.isBusy()).isTrue();
        assertThat(aborted).containsExactly("closed");
        pass(Duration.ofSeconds(2));
        session.close();

        assertThat(aborted).containsExactly("closed", "it did not end within PT10S");
        session.over(link, new IOException("aborted"));
        assertThat(session.isBusy()).isFalse();
    }
}
