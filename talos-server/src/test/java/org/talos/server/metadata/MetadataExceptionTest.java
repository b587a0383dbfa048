// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException.Reason;

class MetadataExceptionTest {
    /**
     * Checks that the message leaves out the stack trace of a region server, which is nothing for clients and for a
     * line of the log.
     */
    @Test
    void messageIsTheFirstLineOfWhatTheStoreHasAnswered() {
        IOException answer = new IOException("region t is not online\n\tat HRegionServer.getRegion(3188)\n");

        assertThat(new MetadataException(Reason.BUSY, Effect.NONE, "get in HBase failed: " + answer.getMessage()))
                .hasMessage("get in HBase failed: region t is not online");
    }
}
