// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.server.auth.Principal;
import org.talos.server.auth.SessionTokens.Session;
import org.talos.server.http.HttpPort;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.SessionScope;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.records.SessionRecords;
import org.talos.server.http.rest.records.SessionRecords.SignIn;

/** The session of a person at a browser: sign in, show the user, sign out. Thread-safe. */
final class SessionResources {
    private static final String EVERYWHERE = "everywhere";

    List<Route> routes() {
        return List.of(
                Route.of("POST", HttpPort.SESSION_PATH, Route.Body.SECRETS, SessionResources::begin)
                        .from(Route.Sender.ANYBODY)
                        .named("signIn", "Begin a session, which a browser keeps in a cookie")
                        .described("Over TLS or from the server's own machine, and by no page of another "
                                + "origin. A page sends the answer's csrf in the header Talos-Csrf with "
                                + "every request other than GET and HEAD.")
                        .takes(SignIn.class)
                        .answers(
                                200,
                                "The session. The header Set-Cookie has its cookie, talos-session.",
                                SessionRecords.Session.class)
                        .fails(403, 404, 422),
                Route.of("GET", HttpPort.SESSION_PATH, Route.Body.NONE, SessionResources::show)
                        .from(Route.Sender.KNOWN_IF_ANY)
                        .named("whoAmI", "Whose credentials these are, and the session if they are one's")
                        .answers(200, "The user.", SessionRecords.Session.class)
                        .answers(204, "There are no credentials, or a session that is over."),
                Route.of("DELETE", HttpPort.SESSION_PATH, Route.Body.NONE, SessionResources::end)
                        .named("signOut", "End the session, or all sessions of the user")
                        .query(
                                EVERYWHERE,
                                "All sessions of the user, on all servers; by any credentials.",
                                ValueType.flag().usual(false))
                        .answers(204, "Ended; on other servers once they have read it, within hbase.cacheAge at most.")
                        .fails(422));
    }

    private static CompletionStage<RestAnswer> begin(RestRequest request) {
        SessionScope scope = request.session();
        scope.requireSignIn();
        JsonObject body = Json.readObject(request.body());
        String accessKey = body.requiredText("accessKey");
        String secretKey = body.requiredText("secretKey");
        body.end();
        Principal user = scope.user(accessKey, secretKey);
        return request.operations()
                .admin()
                .sessions()
                .epoch(request.context(), user)
                .thenApply(epoch -> scope.begin(user, epoch))
                .thenApply(session ->
                        SessionScope.keeping(RestAnswer.json(200, shown(user, Optional.of(session))), session));
    }

    /** Shows the session. A missing session is not a failure: a user who opens the console is not signed in yet. */
    private static CompletionStage<RestAnswer> show(RestRequest request) {
        Principal user = request.context().principal();
        RestAnswer answer = user.equals(Principal.NOBODY)
                ? nobody(request.session())
                : RestAnswer.json(200, shown(user, request.session().current()));
        return CompletableFuture.completedFuture(answer.with("Cache-Control", "no-store"));
    }

    /** A request without the cookie may come from another site's page, which must not end the browser's session. */
    private static RestAnswer nobody(SessionScope scope) {
        RestAnswer answer = RestAnswer.noContent();
        return scope.isSent() ? SessionScope.forgetting(answer) : answer;
    }

    private static SessionRecords.Session shown(Principal user, Optional<Session> session) {
        return new SessionRecords.Session(
                user.userId(), user.admin(), session.map(Session::csrf), session.map(Session::expires));
    }

    private static CompletionStage<RestAnswer> end(RestRequest request) {
        if (request.query().flag(EVERYWHERE)) {
            return request.operations()
                    .admin()
                    .sessions()
                    .endAll(request.context())
                    .thenApply(ended -> SessionScope.forgetting(RestAnswer.noContent()));
        }
        Session session = request.session()
                .current()
                .orElseThrow(() -> ProblemException.badRequest(
                        "these credentials are no session's: everywhere=true ends all sessions of the user"));
        return request.operations()
                .admin()
                .sessions()
                .end(request.context(), session)
                .thenApply(ended -> SessionScope.forgetting(RestAnswer.noContent()));
    }
}
