// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;

/** The JDK's HTTP client: for TLS, and for proxies. Thread-safe. */
final class JdkHttp implements HttpSender {
    private final Optional<SSLContext> tls;
    private final Executor threads;
    private final Duration connectTimeout;
    private final Map<String, HttpClient> clients = new ConcurrentHashMap<>(); // by scheme, made with the first call

    /**
     * A sender that has made nothing yet.
     *
     * @param threads where answers of {@code https:} are read
     */
    JdkHttp(Optional<SSLContext> tls, Executor threads, Duration connectTimeout) {
        this.tls = tls;
        this.threads = threads;
        this.connectTimeout = connectTimeout;
    }

    private HttpClient client(String scheme) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(connectTimeout);
        if (scheme.equals("http")) {
            // On its own thread it only copies bytes: waking another one for each 16 KiB costs more than that.
            return builder.executor(Runnable::run).sslContext(NoTls.context()).build();
        }
        tls.ifPresent(builder::sslContext);
        return builder.executor(threads).build();
    }

    /** Waits on the caller's thread: the HTTP client completes futures on the program's common pool. */
    @Override
    public HttpAnswer post(HttpCall call) throws IOException, InterruptedException {
        HttpClient http = clients.computeIfAbsent(call.server().getScheme(), this::client);
        HttpRequest.Builder request = HttpRequest.newBuilder(call.server().resolve(call.target()))
                .timeout(call.timeout())
                .POST(call.body());
        call.headers().forEach(request::header);
        HttpResponse<byte[]> answer = http.send(request.build(), WholeBody::of);
        Map<String, String> headers = new HashMap<>();
        answer.headers().map().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        return new HttpAnswer(answer.statusCode(), headers, answer.body());
    }

    @Override
    public void close() {
        clients.clear(); // the JDK's client closes its connections once nobody has it
    }
}
