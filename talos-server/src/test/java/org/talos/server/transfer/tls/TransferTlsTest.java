// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.transfer.TransferFixture.KEY;
import static org.talos.server.transfer.TransferFixture.LOG;
import static org.talos.server.transfer.TransferFixture.NO_TLS;
import static org.talos.server.transfer.TransferFixture.assertFails;
import static org.talos.server.transfer.TransferFixture.at;
import static org.talos.server.transfer.TransferFixture.config;
import static org.talos.server.transfer.TransferFixture.context;
import static org.talos.server.transfer.TransferFixture.put;
import static org.talos.server.transfer.TransferFixture.read;
import static org.talos.server.transfer.TransferFixture.result;
import static org.talos.server.transfer.TransferFixture.stored;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.config.TransferTlsConfig;
import org.talos.server.config.TransferTlsConfig.TlsMode;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.transfer.HeldRequests;
import org.talos.server.transfer.TestCertificates;
import org.talos.server.transfer.TransferFixture;
import org.talos.server.transfer.server.TransferServer;
import org.talos.server.transfer.wire.Handshake;
import org.talos.thrift.ErrorCode;

/** Which servers take requests of which under TLS, over real sockets, and what both say where they do not. */
@Timeout(120)
class TransferTlsTest {
    private static final int FAILURES_UNTIL_LOGGED = 3;

    @TempDir
    private static Path directory;

    private static TestCertificates ours;
    private static TestCertificates foreign;

    private final TransferFixture fixture = new TransferFixture();
    private final HeldRequests there = new HeldRequests();
    private final Said said = new Said();

    @BeforeAll
    static void make() throws Exception {
        ours = new TestCertificates(directory.resolve("ours"))
                .server("a")
                .server("b")
                .server("elsewhere", "-ext", "san=dns:elsewhere.example.org")
                .server("expired", "-ext", "san=ip:127.0.0.1", "-startdate", "-3d", "-validity", "1");
        foreign = new TestCertificates(directory.resolve("foreign")).server("a").server("b");
    }

    @BeforeEach
    void listen() {
        said.start();
        said.of().addAppender(said);
    }

    @AfterEach
    void close() throws Exception {
        said.of().detachAppender(said);
        fixture.close();
    }

    /** Log lines of both ends. Thread-safe. */
    private static final class Said extends AppenderBase<ILoggingEvent> {
        private final Queue<String> lines = new ConcurrentLinkedQueue<>();

        Logger of() {
            return (Logger) LoggerFactory.getLogger("org.talos.server");
        }

        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getFormattedMessage());
        }

        void awaitLine(String... parts) {
            Awaitility.await()
                    .untilAsserted(() -> assertThat(lines)
                            .anySatisfy(line -> assertThat(line).contains(parts)));
        }
    }

    private static TransferTlsConfig required(String name) {
        return ours.config(TlsMode.REQUIRE, name);
    }

    private PartitionRequests from(TransferTlsConfig own, int port) throws IOException {
        return fixture.transfer(config(0, own)).to(at("other", port));
    }

    private int server(TransferTlsConfig own) throws IOException {
        return fixture.server(config(0, own), there).port();
    }

    private void assertServed(PartitionRequests requests) throws Exception {
        CompletionStage<AppendResult> put = requests.put(LOG, put("s"), context());
        HeldRequests.Held asked = there.next();
        assertThat(asked.subject()).isEqualTo(put("s"));
        asked.answer().complete(stored(5));
        assertThat(result(put).firstOffset()).isEqualTo(5);
    }

    /** Asks until this side logs why it fails; nothing reaches the partitions. */
    private void assertRefused(PartitionRequests requests) {
        for (int i = 0; i < FAILURES_UNTIL_LOGGED; i++) {
            assertFails(requests.put(LOG, put("s"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
        }
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void serversWithCertificatesOfOneAuthorityServeEachOther() throws Exception {
        PartitionRequests other = from(required("a"), server(required("b")));

        assertServed(other);
        assertServed(other); // by the same connection

        CompletionStage<Slice> waiting = other.read(LOG, read(Duration.ofSeconds(20)), context());
        HeldRequests.Held asked = there.next();
        assertServed(other);
        asked.answer().complete(new Slice(List.of(), 1, 2));
        assertThat(result(waiting).durableEnd()).isEqualTo(2);
    }

    @Test
    void largeRequestsAndAnswersOfManyThreadsComeWhole() throws Exception {
        PartitionRequests other = from(required("a"), server(required("b")));
        byte[] large = new byte[3 << 20];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) (i * 31);
        }

        List<CompletionStage<AppendResult>> puts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            puts.add(other.put(LOG, put("s", large), context()));
        }
        for (int i = 0; i < puts.size(); i++) {
            HeldRequests.Held asked = there.next();
            assertThat(asked.subject()).isEqualTo(put("s", large));
            asked.answer().complete(stored(i));
        }

        for (CompletionStage<AppendResult> each : puts) {
            assertThat(result(each).firstOffset()).isBetween(0L, 7L);
        }
    }

    @Test
    void connectionThatTheOtherServerEndedIsNotedBeforeItIsUsedAgain() throws Exception {
        TransferServer first = fixture.server(config(0, required("b")), there);
        PartitionRequests other = from(required("a"), first.port());
        assertServed(other);

        first.close();
        var unused = fixture.server(config(first.port(), required("b")), there);

        assertServed(other);
    }

    @Test
    void runningClusterIsSwitchedOverServerByServer() throws Exception {
        TransferTlsConfig withCertificate = ours.config(TlsMode.ACCEPT, "a");
        List<TransferTlsConfig> way = List.of(NO_TLS, withCertificate, required("a"));
        for (int step = 1; step < way.size(); step++) { // each pair of neighbors meets while the servers are restarted
            for (TransferTlsConfig sender : way.subList(step - 1, step + 1)) {
                for (TransferTlsConfig taker : way.subList(step - 1, step + 1)) {
                    assertServed(from(sender, server(taker)));
                }
            }
        }
    }

    @Test
    void plainServerIsTold() throws Exception {
        assertRefused(from(NO_TLS, server(required("b"))));

        said.awaitLine("server unreachable", TlsFailure.REQUIRED_THERE);
    }

    @Test
    void serverThatSendsWithoutTlsIsRefusedWhereItIsRequired() throws Exception {
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), server(required("b")))) {
            byte[] hello = plain.getInputStream().readNBytes(Handshake.HELLO_BYTES);
            assertThat(Handshake.requiresTls(hello)).isTrue();
            plain.getOutputStream().write(Handshake.ofHello(hello, KEY).reply());

            assertThat(plain.getInputStream().read()).isEqualTo(-1);
        }
        said.awaitLine("transfer connection ended peer=/127.0.0.1", TlsFailure.REQUIRED_HERE);
    }

    @Test
    void bothSidesSayThatOneTakesNoTls() throws Exception {
        assertRefused(from(required("a"), server(NO_TLS)));

        said.awaitLine("server unreachable", TlsFailure.NOT_TAKEN_THERE);
        said.awaitLine("transfer connection ended peer=/127.0.0.1", TlsFailure.NOT_TAKEN_HERE);
    }

    @Test
    void serverWithoutACertificateIsRefused() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server(required("b")))) {
            InputStream in = socket.getInputStream();
            assertThat(in.readNBytes(Handshake.HELLO_BYTES)).hasSize(Handshake.HELLO_BYTES);
            SSLSocket tls = (SSLSocket) trustingOurs().getSocketFactory().createSocket(socket, "127.0.0.1", 0, true);

            String ended = endOf(tls);

            assertThat(ended).containsAnyOf("alert", "closed", "reset", "EOF");
        }
        said.awaitLine("transfer connection ended", "showed no certificate");
    }

    private static SSLContext trustingOurs() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(
                "ca",
                KeyStore.getInstance(ours.file("store.p12").toFile(), "changeit".toCharArray())
                        .getCertificate("ca"));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private static String endOf(SSLSocket tls) throws IOException {
        try {
            tls.startHandshake();
            int first = tls.getInputStream().read();
            return first < 0 ? "EOF" : "answered";
        } catch (SSLException | SocketException | EOFException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void serverOfAnotherAuthorityIsNotServed() throws Exception {
        assertRefused(from(foreign.config(TlsMode.REQUIRE, "a", ours), server(required("b"))));

        said.awaitLine("server unreachable", "the other server refused this one: its log says why");
        said.awaitLine("transfer connection ended", "none of an authority in transfer.tls.trustedFile here");
    }

    @Test
    void serverOfAnotherAuthorityIsSentNothing() throws Exception {
        assertRefused(from(required("a"), server(foreign.config(TlsMode.REQUIRE, "b", ours))));

        said.awaitLine("server unreachable", "unable to find valid certification path");
        said.awaitLine("transfer connection ended", "the other server refused this one: its log says why");
    }

    @Test
    void serverWithACertificateForAnotherHostIsSentNothing() throws Exception {
        int port = server(required("elsewhere"));

        assertRefused(from(required("a"), port));

        said.awaitLine("server unreachable", "No subject alternative names matching IP address 127.0.0.1");
        assertServed(from(ours.config(TlsMode.REQUIRE, "a", ours, false, ""), port)); // if nobody looks
    }

    @Test
    void expiredCertificateIsRefusedByEitherSide() throws Exception {
        assertRefused(from(required("a"), server(required("expired"))));
        said.awaitLine("server unreachable", "CertificateExpiredException");

        assertRefused(from(required("expired"), server(required("b"))));
        said.awaitLine("transfer connection ended", "CertificateExpiredException");
        said.awaitLine("transfer.tls.certificateFile", "expired.pem has ended");
    }

    @Test
    void certificateWithoutAnAllowedNameIsRefusedByEitherSide() throws Exception {
        TransferTlsConfig onlyB = ours.config(TlsMode.REQUIRE, "a", ours, true, "B, c.example.org");
        assertServed(from(onlyB, server(required("b"))));

        assertRefused(from(onlyB, server(required("a"))));
        said.awaitLine("server unreachable", "for 127.0.0.1, a, localhost, none of which is in");

        assertRefused(from(required("a"), server(onlyB)));
        said.awaitLine("transfer connection ended", "for 127.0.0.1, a, localhost, none of which is in");
    }

    @Test
    void renewedCertificateIsTakenWithoutARestart() throws Exception {
        TestCertificates renewed = copy("renewed", "expired");
        TransferTlsConfig own = renewed.config(TlsMode.REQUIRE, "own", ours);
        TransferTls tls = fixture.tls(own);
        int port = fixture.server(config(0, own), tls, there).port();
        assertRefused(from(required("a"), port));

        replace(renewed, "b");
        tls.reload();

        assertServed(from(required("a"), port));
    }

    @Test
    void connectionsToOtherServersTakeTheRenewedCertificateToo() throws Exception {
        TestCertificates renewed = copy("sender", "expired");
        TransferTlsConfig own = renewed.config(TlsMode.REQUIRE, "own", ours);
        TransferTls tls = fixture.tls(own);
        int port = server(required("b"));
        assertFails(by(tls, own, port).put(LOG, put("s"), context()), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);

        replace(renewed, "a");
        tls.reload();

        assertServed(by(tls, own, port));
    }

    private PartitionRequests by(TransferTls tls, TransferTlsConfig own, int port) {
        return fixture.transfer(config(0, own), KEY, tls, fixture.memory).to(at("other", port));
    }

    @Test
    void filesThatDoNotBelongTogetherLeaveWhatWasReadBefore() throws Exception {
        TestCertificates changing = copy("changing", "b");
        TransferTlsConfig own = changing.config(TlsMode.REQUIRE, "own", ours);
        TransferTls tls = fixture.tls(own);
        int port = fixture.server(config(0, own), tls, there).port();

        Files.copy(ours.file("a.key"), changing.file("own.key"), StandardCopyOption.REPLACE_EXISTING);
        tls.reload();
        tls.reload();

        assertServed(from(required("a"), port));
        said.awaitLine("cannot be used, the earlier ones stay in use", "is not the certificate's");
        assertThat(said.lines)
                .filteredOn(line -> line.contains("transfer.tls cannot be used, the earlier ones stay in use"))
                .hasSize(1);
    }

    private static TestCertificates copy(String folder, String from) throws IOException {
        TestCertificates copy = ours.in(Files.createDirectories(directory.resolve(folder)));
        replace(copy, from);
        return copy;
    }

    private static void replace(TestCertificates changing, String with) throws IOException {
        for (String kind : List.of(".pem", ".key")) {
            Files.copy(
                    ours.file(with + kind),
                    changing.file("own" + kind),
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
    }
}
