// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.talos.server.auth.Principal;
import org.talos.server.http.client.RequestClient;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;

/**
 * The sender of a request, and the request's part of the sender's memory. The sender is a user once a key has been
 * shown, and the client's network before that.
 *
 * <p>Confined to one callback at a time until the request's work starts. From then on, only the memory changes.
 */
final class RequestSender {
    /** Least memory of a request besides its bodies: its state, and a usual head. */
    static final int REQUEST_BYTES = 2 << 10;

    /** Objects of a header field besides its characters. */
    private static final int FIELD_BYTES = 130;

    /** The target is kept as a whole and in its parts. */
    private static final int TARGETS = 2;

    private final Request request;
    private final MemoryBudget budget;
    private @Nullable RequestMemory memory; // from when some is needed
    private String turnId = Principal.NOBODY.userId(); // until a key has been shown
    private boolean isUser;

    RequestSender(Request request, MemoryBudget budget) {
        this.request = request;
        this.budget = budget;
    }

    /** Marks the request as a user's: from now on its memory counts for that user. */
    void markUser(Principal principal) {
        isUser = true;
        turnId = principal.turnId();
        SelectorConnector.countFor(request, principal.userId());
        memory = new RequestMemory(budget.of(turnId));
    }

    /** Counts the request against the memory for sign-ins, which other anonymous requests cannot use. */
    void signsIn() {
        memory = new RequestMemory(SelectorConnector.anonymousOf(request).signingIn(RequestClient.site(request)));
    }

    /**
     * Returns whose turns the request takes: the user's or the user's org's. All requests without a key share the same
     * ones: otherwise a client with many networks would have as many turns.
     */
    String turnId() {
        return turnId;
    }

    /** Returns whether the sender has shown a key. */
    boolean isUser() {
        return isUser;
    }

    /** Returns the memory of the request. */
    RequestMemory memory() {
        RequestMemory known = memory;
        if (known == null) {
            known = new RequestMemory(SelectorConnector.anonymousOf(request).of(RequestClient.network(request)));
            memory = known;
        }
        return known;
    }

    /**
     * Returns the memory of the request, without bodies, until it has ended: its head may be as large as a small body.
     */
    int requestBytes() {
        HttpFields fields = request.getHeaders();
        HttpURI target = request.getHttpURI();
        int bytes = TARGETS * (length(target.getPath()) + length(target.getQuery()));
        for (int i = 0; i < fields.size(); i++) {
            HttpField field = fields.getField(i);
            bytes += FIELD_BYTES + length(field.getName()) + length(field.getValue());
        }
        return Math.max(REQUEST_BYTES, bytes);
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    /** Releases everything, if there is any memory. May be called again. */
    void closeMemory() {
        RequestMemory known = memory;
        if (known != null) {
            known.close();
        }
    }
}
