// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LedgerTest {
    private final Ledger ledger = new Ledger(2);

    @Test
    void whatIsWhereItWasToldAndSeenIsSound() {
        ledger.acknowledged(0, 0, 3, 17);
        ledger.acknowledged(1, 0);
        ledger.seen(new WriterMessages.Name(0, 0), 3, 17);
        ledger.left(new WriterMessages.Name(0, 0), 3, 17);
        ledger.left(new WriterMessages.Name(1, 0), 0, 0);

        assertThat(ledger.compare()).isEqualTo(2);
        assertThat(ledger.firstWrongs()).isEmpty();
    }

    @Test
    void whatIsMissingIsLost() {
        ledger.acknowledged(1, 5_000);

        assertThat(ledger.compare()).isEqualTo(1);
        assertThat(ledger.firstWrongs()).containsExactly("lost: Name[writer=1, number=5000] was acknowledged");
    }

    @Test
    void whatIsThereTwiceIsDoubled() {
        ledger.left(new WriterMessages.Name(0, 7), 1, 0);
        ledger.left(new WriterMessages.Name(0, 7), 1, 1);

        assertThat(ledger.firstWrongs()).singleElement().asString().startsWith("doubled: ");
    }

    @Test
    void whatIsElsewhereThanItWasToldOrReadHasMoved() {
        ledger.acknowledged(0, 1, 2, 3);
        ledger.seen(new WriterMessages.Name(0, 1), 2, 4);
        ledger.left(new WriterMessages.Name(0, 1), 2, 5);

        var unused = ledger.compare();

        assertThat(ledger.wrongs()).isEqualTo(2);
        assertThat(ledger.firstWrongs())
                .anySatisfy(each -> assertThat(each).contains("acknowledged at partition 2, offset 3"))
                .anySatisfy(each -> assertThat(each).contains("read at partition 2, offset 4"));
    }

    @Test
    void messagesSayWhoseTheyAreAndThatTheyAreWhole() {
        WriterMessages texts = new WriterMessages(64);
        byte[] message = texts.of(3, 1L << 33);

        assertThat(texts.read(message)).isEqualTo(new WriterMessages.Name(3, 1L << 33));
        message[63]++;
        assertThatThrownBy(() -> texts.read(message)).hasMessageContaining("others than were written");
    }
}
