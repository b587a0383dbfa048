// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.message.Fetch;

/** The offset at which a reader begins, by the parameter {@code from}. Immutable. */
final class StartOffset {
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

    private StartOffset() {}

    /** An offset, or {@link Fetch#EARLIEST}. */
    static CompletionStage<Long> from(RestRequest request, PartitionName partition, String byDefault) {
        String from = request.query().text("from").orElse(byDefault);
        if (from.equals("earliest")) {
            return CompletableFuture.completedFuture(Fetch.EARLIEST);
        }
        if (from.equals("latest")) {
            return request.operations().messages().endOffset(request.context(), partition);
        }
        return NUMBER.matcher(from).matches()
                ? CompletableFuture.completedFuture(Long.parseLong(from))
                : request.operations()
                        .messages()
                        .offsetAtTime(request.context(), partition, Times.parse(from, request));
    }
}
