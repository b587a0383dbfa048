// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.IOException;
import java.util.Optional;
import javax.net.ssl.SSLContext;

class TlsHttpTest extends HttpPoolContract {
    private static final OwnKey KEY = OwnKey.make("san=ip:127.0.0.1");

    @Override
    Optional<SSLContext> trusted() {
        return Optional.of(KEY.trusting());
    }

    @Override
    RawServer server(RawServer.Peer peer) throws IOException {
        return new RawServer(KEY.ofServer(), peer);
    }
}
