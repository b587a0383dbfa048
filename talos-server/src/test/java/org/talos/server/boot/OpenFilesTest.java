// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpenFilesTest {
    @Test
    void fewerFilesThanConnectionsAreNamedWithWhatRaisesThem() {
        assertThat(OpenFiles.shortage(20_000, 20_000).orElseThrow())
                .contains("http.maxConnections allows 20000", "only 20000 files", "`ulimit -n 21024`");
    }

    @Test
    void filesForAllConnectionsAndTheServersOwnAreEnough() {
        assertThat(OpenFiles.shortage(21_024, 20_000)).isEmpty();
    }
}
