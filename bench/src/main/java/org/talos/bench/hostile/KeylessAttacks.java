// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.talos.bench.hostile.HeldConnections.Plan;
import org.talos.bench.hostile.wire.Check;
import org.talos.bench.hostile.wire.FramesCheck;
import org.talos.bench.hostile.wire.Http2;
import org.talos.bench.hostile.wire.HttpCheck;
import org.talos.bench.hostile.wire.PrefixCheck;
import org.talos.bench.hostile.wire.TlsAlertCheck;

/**
 * The attacks of a client without a key: as many connections as the settings allow, none of which ever sends a whole
 * request or reads a whole answer. A connection that the server ends is opened again.
 */
final class KeylessAttacks {
    private static final int TURNS = 3_000; // ten minutes: the server ends them, not the client
    private static final int READ_BYTES = 64 << 10;
    private static final int HEAD_BYTES = 14 << 10; // less than the longest that the server takes
    private static final byte[] RECORD = {0x16, 3, 1, 0x40, 0, 1, 0, 0x3f, (byte) 0xfc}; // begins a hello of 16 KiB

    private KeylessAttacks() {}

    /** Sends nothing. */
    static Attacker idle(HostileRequests requests) {
        return held(requests, () -> new byte[0], () -> HttpCheck.of(() -> Check.NONE));
    }

    /** Sends a head of HTTP/1.1 that does not end. */
    static Attacker halfHeads(HostileRequests requests) {
        String line = "X-Padding: " + "x".repeat(1_000) + "\r\n";
        String head = "GET / HTTP/1.1\r\nHost: " + requests.victim().authority() + "\r\n"
                + line.repeat(HEAD_BYTES / line.length());
        byte[] bytes = head.getBytes(StandardCharsets.US_ASCII);
        return held(requests, () -> bytes, () -> HttpCheck.of(() -> Check.NONE));
    }

    /** Sends the preface of HTTP/2, and half a head. */
    static Attacker halfHttp2Heads(HostileRequests requests) {
        Http2 connection = Http2.begin(requests.victim().authority(), 1 << 20);
        connection.halfHead(HEAD_BYTES);
        byte[] bytes = connection.take();
        return held(requests, () -> bytes, () -> new FramesCheck(() -> Check.NONE));
    }

    /** Sends nine bytes of a record of TLS. */
    static Attacker halfRecords(HostileRequests requests) {
        Plan plan = plan(requests, () -> RECORD, TlsAlertCheck::new);
        return requests.held(plan.against(requests.victim().tlsPort()));
    }

    /** Asks for the largest page and reads a few bytes of it, or of as many as the server has at once. */
    static Attacker unreadPages(HostileRequests requests) {
        Victim victim = requests.victim();
        byte[] request = ("GET " + victim.page() + " HTTP/1.1\r\nHost: " + victim.authority() + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        Plan plan = new Plan(
                victim.keylessOfEach(),
                TURNS,
                () -> request,
                HeldConnections.readOne(),
                () -> HttpCheck.of(() -> new PrefixCheck(requests.page())),
                true,
                0);
        return requests.held(plan);
    }

    private static Attacker held(HostileRequests requests, Supplier<byte[]> beginning, Supplier<Check> received) {
        return requests.held(plan(requests, beginning, received));
    }

    private static Plan plan(HostileRequests requests, Supplier<byte[]> beginning, Supplier<Check> received) {
        int connections = requests.victim().keylessOfEach();
        return Plan.of(connections, TURNS, beginning, HeldConnections.readUpTo(READ_BYTES))
                .checking(received)
                .withoutKey();
    }
}
