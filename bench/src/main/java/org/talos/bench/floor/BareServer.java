// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.talos.common.auth.Authorization;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestSignature;
import org.talos.server.http.HttpPort;

/**
 * A bare Jetty, the server's version and set up as the server's, with a handler that reads a body and answers a put
 * with 100 bytes, a get with as many as a message has: the upper bound for any server on it. On demand it also verifies
 * the signature and the body's MD5, which the protocol asks of every server.
 *
 * <p>Confined: main.
 */
public final class BareServer {
    private static final int PUT_ANSWER_BYTES = 100;
    private static final int MAX_HEADER_BYTES = 16 << 10;
    private static final int BUFFER_BYTES = 16 << 10;

    /** The key whose puts it accepts when it verifies them. */
    static final Credential CREDENTIAL = new Credential("AKBARE0000000000000A", "no-secret");

    /** Environment variable that makes it verify. */
    static final String SIGNED_VARIABLE = "TALOS_BARE_SIGNED";

    /** Environment variable: threads of Jetty, selectors included. */
    static final String THREADS_VARIABLE = "TALOS_BARE_THREADS";

    /** Environment variable: bytes of the answer to a get. */
    static final String GET_BYTES_VARIABLE = "TALOS_BARE_GET_BYTES";

    private BareServer() {}

    /** Listens on a free port of 127.0.0.1 until it is ended. */
    public static void main(String[] arguments) throws Exception {
        int threads = number(THREADS_VARIABLE);
        Server server = new Server(new QueuedThreadPool(threads));
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendXPoweredBy(false);
        http.setRequestHeaderSize(MAX_HEADER_BYTES);
        http.setInputBufferSize(BUFFER_BYTES);
        http.setHeaderCacheSize(0);
        http.setHttpCompliance(HttpCompliance.STRICT);
        ServerConnector connector = new ServerConnector(
                server, null, null, null, 1, HttpPort.selectors(threads), new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setAcceptQueueSize(1_024);
        server.addConnector(connector);
        server.setHandler(new ReadAndAnswer(System.getenv(SIGNED_VARIABLE) != null, number(GET_BYTES_VARIABLE)));
        server.start();
        System.out.println("talos: serving http://127.0.0.1:" + connector.getLocalPort());
        server.join();
    }

    private static int number(String variable) {
        return Integer.parseInt(String.valueOf(System.getenv(variable)));
    }

    /** Reads the whole body and gives a constant answer. Thread-safe. */
    private static final class ReadAndAnswer extends Handler.Abstract {
        private final boolean signed;
        private final byte[] message;

        ReadAndAnswer(boolean signed, int getBytes) {
            super(Invocable.InvocationType.NON_BLOCKING);
            this.signed = signed;
            message = new byte[getBytes];
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            read(request, response, callback, ByteBuffer.allocate((int) request.getLength()));
            return true;
        }

        private void read(Request request, Response response, Callback callback, ByteBuffer body) {
            while (true) {
                Content.Chunk chunk = request.read();
                if (chunk == null) {
                    request.demand(Invocable.from(
                            Invocable.InvocationType.NON_BLOCKING, () -> read(request, response, callback, body)));
                    return;
                }
                if (Content.Chunk.isFailure(chunk)) {
                    callback.failed(chunk.getFailure());
                    return;
                }
                body.put(chunk.getByteBuffer());
                boolean last = chunk.isLast();
                chunk.release();
                if (last) {
                    if (signed && !isGenuine(request, body.flip())) {
                        response.setStatus(HttpStatus.UNAUTHORIZED_401);
                    }
                    ByteBuffer answer =
                            isGet(request) ? ByteBuffer.wrap(message) : ByteBuffer.allocate(PUT_ANSWER_BYTES);
                    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, answer.remaining());
                    response.write(true, answer, callback);
                    return;
                }
            }
        }

        private static boolean isGet(Request request) {
            String query = request.getHttpURI().getQuery();
            return query != null && query.endsWith("=getMessage");
        }

        private static boolean isGenuine(Request request, ByteBuffer body) {
            Map<String, List<String>> headers = new HashMap<>();
            for (HttpField field : request.getHeaders()) {
                headers.put(field.getLowerCaseName(), List.of(String.valueOf(field.getValue())));
            }
            String text = RequestSignature.stringToSign(
                    request.getMethod(),
                    request.getHttpURI().getPath(),
                    request.getHttpURI().getQuery(),
                    headers);
            byte[] hmac = RequestSignature.hmac(CREDENTIAL.secret(), text);
            String md5 = request.getHeaders().get(RequestSignature.CONTENT_MD5);
            return Authorization.parse(String.valueOf(request.getHeaders().get(HttpHeader.AUTHORIZATION)))
                            .filter(claimed -> RequestSignature.matches(hmac, claimed.signature()))
                            .isPresent()
                    && md5 != null
                    && RequestSignature.md5Matches(md5, RequestSignature.md5(body));
        }
    }
}
