// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.nio.channels.UnresolvedAddressException;
import org.junit.jupiter.api.Test;

class PortFailureTest {
    @Test
    void portThatAnotherHasIsToldWithItsSetting() {
        IOException failure = new IOException("Failed to bind", new BindException("Address already in use"));

        assertThat(PortFailure.of("http", "127.0.0.1", 8080, failure))
                .hasMessage("http.host and http.port: cannot listen on 127.0.0.1:8080: Address already in use (another"
                        + " program has it, perhaps another server: set http.port (TALOS_HTTP_PORT) to another one, 0"
                        + " takes a free one)")
                .hasCause(failure);
    }

    @Test
    void addressThatIsNotThisMachinesIsToldWithItsSetting() {
        BindException outer = new BindException("Failed to bind");
        var unused = outer.initCause(new BindException("Cannot assign requested address"));

        assertThat(PortFailure.of("transfer", "10.9.8.7", 8081, outer))
                .hasMessageStartingWith(
                        "transfer.host and transfer.port: cannot listen on 10.9.8.7:8081: Cannot assign")
                .hasMessageContaining("TALOS_TRANSFER_HOST");
        assertThat(PortFailure.of("management", "nowhere.invalid", 0, new UnresolvedAddressException()))
                .hasMessageContaining("no such host (set management.host");
    }

    @Test
    void otherFailuresStayAsTheyAre() {
        IOException store = new IOException("no key store");

        assertThat(PortFailure.of("http", "127.0.0.1", 8080, store)).isSameAs(store);
        assertThat(PortFailure.of("http", "127.0.0.1", 8080, new IllegalStateException("odd")))
                .hasMessage("the port of http cannot be opened: odd");
    }
}
