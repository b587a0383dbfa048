// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.talos.server.http.HttpExchange;
import org.talos.server.http.HttpPort;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.body.SharedBytes;
import org.talos.server.metrics.Operation;
import org.talos.server.service.call.ServiceAnswer.Delivery;

/**
 * The exchange of a request for a page. A file that has not been asked for yet is read and compressed off the threads
 * that have connections.
 *
 * <p>Confined up to {@link #run}, thread-safe from there on, as every exchange.
 */
final class PageExchange implements HttpExchange.Protocol<PageAnswer> {
    private final HttpPort.Parts parts;
    private final Request request;
    private final Response response;
    private final Place place;
    private final HttpExchange<PageAnswer> exchange;

    PageExchange(HttpPort.Parts parts, Request request, Response response, Callback callback, Place place) {
        this.parts = parts;
        this.request = request;
        this.response = response;
        this.place = place;
        exchange = new HttpExchange<>(parts, request, response, callback, this);
    }

    /**
     * The page at a path. Immutable.
     *
     * @param ready the answer, if it takes no reading
     * @param read the answer, in which a file may be read
     */
    record Place(Function<HttpFields, Optional<PageAnswer>> ready, Function<HttpFields, PageAnswer> read) {
        private static Place of(Function<HttpFields, PageAnswer> answer) {
            return new Place(asked -> Optional.of(answer.apply(asked)), answer);
        }

        static Place of(SmallPages.Small page) {
            return of(page::answer);
        }

        static Place elsewhere(String reference) {
            return of(asked -> PageAnswer.elsewhere(reference));
        }

        static Place notAllowed() {
            return of(asked -> plain(HttpStatus.METHOD_NOT_ALLOWED_405, "Pages are got.")
                    .with(HttpHeader.ALLOW.asString(), "GET, HEAD"));
        }

        static Place of(StaticSite site, StaticSite.File file, SmallPages.Small otherwise) {
            return new Place(
                    asked -> site.known(file).map(page -> answer(site, file, page, asked)),
                    asked -> site.read(file)
                            .map(page -> answer(site, file, page, asked))
                            .orElseGet(() -> otherwise.answer(asked)));
        }

        private static PageAnswer answer(StaticSite site, StaticSite.File file, Page page, HttpFields asked) {
            return PageAnswer.of(HttpStatus.OK_200, page, asked, site.policy(), file.immutable());
        }
    }

    private static PageAnswer plain(int status, String sentence) {
        ByteBuffer body = StandardCharsets.UTF_8.encode(sentence + "\n");
        return new PageAnswer(status, Map.of("Content-Type", "text/plain; charset=utf-8"), List.of(body));
    }

    void begin() {
        try {
            exchange.readBody(0, 0);
        } catch (RuntimeException | Error e) {
            exchange.giveUp(e);
        }
    }

    @Override
    public CompletionStage<PageAnswer> run(ByteBuffer body) {
        HttpFields asked = request.getHeaders();
        Optional<PageAnswer> ready = place.ready().apply(asked);
        return ready.isPresent()
                ? CompletableFuture.completedFuture(ready.get())
                : CompletableFuture.supplyAsync(() -> place.read().apply(asked), exchange.heavy());
    }

    @Override
    public void answer(PageAnswer answer) {
        exchange.write(body(answer), Delivery.IGNORED, Operation.OTHER, () -> {
            response.setStatus(answer.status());
            answer.headers().forEach((name, value) -> response.getHeaders().put(name, value));
        });
    }

    private static Body body(PageAnswer answer) {
        return answer.body().isEmpty()
                ? new Bytes(List.of())
                : new SharedBytes(answer.body().get(0));
    }

    @Override
    public void fail(Throwable cause) {
        exchange.giveUp(cause);
    }

    @Override
    public void refuseBody(int status, String sentence) {
        response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
        refuse(status, sentence);
    }

    @Override
    public void refuseAnswer() {
        refuse(HttpPort.UNAVAILABLE, "The server has no memory for the answer now.");
    }

    private void refuse(int status, String sentence) {
        parts.metrics().refused();
        PageAnswer answer = plain(status, sentence);
        answer(status == HttpPort.UNAVAILABLE ? answer.with(HttpHeader.RETRY_AFTER.asString(), "1") : answer);
    }
}
