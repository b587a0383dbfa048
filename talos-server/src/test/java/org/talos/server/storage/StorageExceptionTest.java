// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException.Reason;

class StorageExceptionTest {
    /**
     * Checks that the message leaves out the stack trace of a NameNode, which is nothing for clients and for a line of
     * the log.
     */
    @Test
    void messageIsTheFirstLineOfWhatTheStoreHasAnswered() {
        IOException answer = new IOException("File does not exist: /talos\n\tat FSNamesystem.checkLease(3188)\n");

        StorageException failure = StorageException.unavailable("segment cannot be made", Effect.UNKNOWN, answer);

        assertThat(failure)
                .hasMessage("segment cannot be made: File does not exist: /talos")
                .hasCause(answer);
    }

    @Test
    void fullDiskIsFoundBehindTheFirstLine() {
        IOException answer = new IOException("write failed\ncaused by: No space left on device");

        assertThat(StorageException.unavailable("x", Effect.NONE, answer).reason())
                .isEqualTo(Reason.FULL);
    }

    @Test
    void causeWithoutAMessageIsNoFault() {
        assertThat(StorageException.unavailable("x", Effect.NONE, new IOException()))
                .hasMessage("x: null");
    }
}
