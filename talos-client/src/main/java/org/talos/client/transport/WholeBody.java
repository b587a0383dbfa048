// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * Collects the body of an answer whose length is known where it stays: the JDK's own subscriber keeps all pieces of it
 * until they are copied at the end.
 *
 * <p>Confined: the HTTP client, for one answer.
 */
final class WholeBody implements BodySubscriber<byte[]> {
    /** What is allocated on the word of a server, which may send less; far above what a get asks for by default. */
    private static final long MOST_BYTES = 16 << 20;

    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private final ByteBuffer bytes;

    private WholeBody(int length) {
        bytes = ByteBuffer.allocate(length);
    }

    /** The subscriber for an answer with these headers. */
    static BodySubscriber<byte[]> of(HttpResponse.ResponseInfo answer) {
        long length = answer.headers().firstValueAsLong("Content-Length").orElse(-1);
        return length >= 0 && length <= MOST_BYTES ? new WholeBody((int) length) : BodySubscribers.ofByteArray();
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return whole;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> pieces) {
        pieces.forEach(bytes::put); // the HTTP client ends the body after the length that it was announced with
    }

    @Override
    public void onError(Throwable failure) {
        whole.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        whole.complete(bytes.array());
    }
}
