// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.talos.server.auth.NewUser;
import org.talos.server.auth.OwnKey;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.Answer;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.records.UserRecords;
import org.talos.server.http.rest.records.UserRecords.KeyRotation;
import org.talos.server.http.rest.records.UserRecords.OldKey;
import org.talos.server.http.rest.records.UserRecords.User;
import org.talos.server.http.rest.records.UserRecords.UserWithSecret;
import org.talos.server.http.rest.records.UserRecords.Users;
import org.talos.server.service.admin.UserOperations.Keyed;
import org.talos.server.service.admin.UserOperations.Shown;

/** Users and their keys, for administrators. A secret is in the answer that makes it, and nowhere else. Thread-safe. */
public final class UserResources {
    private static final String USERS = "/v1/users";
    private static final String USER = USERS + "/{user}";
    private static final int MOST_IDS = 1_000;
    private static final Duration LONGEST_GRACE = Duration.ofDays(30);

    public List<Route> routes() {
        return List.of(
                Route.of("GET", USERS, Route.Body.NONE, this::list)
                        .named("listUsers", "All users, without secrets; for administrators")
                        .answers(200, "By name.", Users.class),
                Route.of("POST", USERS, Route.Body.SMALL, this::add)
                        .named("addUser", "Make a user with a key; for administrators")
                        .takes(UserRecords.NewUser.class)
                        .answers(Answer.of(201, "The user, with the only copy of the secret.", UserWithSecret.class)
                                .header("Cache-Control", "no-store", ValueType.text()))
                        .fails(409, 422),
                Route.of("DELETE", USER, Route.Body.NONE, this::remove)
                        .named("removeUser", "Remove a user; their keys are refused from now on; for administrators")
                        .answers(204, "It is gone.")
                        .fails(409, 422),
                Route.of("POST", USER + "/key", Route.Body.SMALL, this::rotate)
                        .named("rotateKey", "Give a user a new key; for administrators")
                        .described("The old key ends at once, or after graceSeconds. Of two older ones the "
                                + "oldest ends at once.")
                        .mayTake(KeyRotation.class)
                        .answers(Answer.of(200, "The user, with the only copy of the new secret.", UserWithSecret.class)
                                .header("Cache-Control", "no-store", ValueType.text()))
                        .fails(409));
    }

    private CompletionStage<RestAnswer> list(RestRequest request) {
        return request.operations()
                .admin()
                .users()
                .list(request.context())
                .thenApply(all -> RestAnswer.json(
                        200, new Users(all.stream().map(UserResources::shown).toList())));
    }

    private CompletionStage<RestAnswer> add(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        NewUser user = new NewUser(
                body.requiredText("user"),
                body.flag("admin"),
                false,
                body.list("orgs", MOST_IDS),
                body.list("teams", MOST_IDS));
        Optional<OwnKey> key = ownKey(body);
        body.end();
        return request.operations()
                .admin()
                .users()
                .add(request.context(), user, key)
                .thenApply(made -> keyed(
                        201,
                        made.orElseThrow(() -> ProblemException.refused(
                                409, "user-exists", "there is a user " + user.userId() + " already"))));
    }

    private static Optional<OwnKey> ownKey(JsonObject body) {
        Optional<String> accessKey = body.text("accessKey");
        Optional<String> secretKey = body.text("secretKey");
        if (accessKey.isPresent() != secretKey.isPresent()) {
            throw body.wrong("secretKey", "accessKey and secretKey, or neither for a new key");
        }
        return accessKey.map(key -> new OwnKey(key, secretKey.orElseThrow()));
    }

    private CompletionStage<RestAnswer> remove(RestRequest request) {
        String user = request.identifier(0);
        return request.operations()
                .admin()
                .users()
                .remove(request.context(), user)
                .thenApply(removed -> {
                    if (!removed) {
                        throw noSuchUser(user);
                    }
                    return RestAnswer.noContent();
                });
    }

    private CompletionStage<RestAnswer> rotate(RestRequest request) {
        String user = request.identifier(0);
        JsonObject body = Json.readObjectIfAny(request.body());
        Duration grace = Duration.ofSeconds(body.number("graceSeconds", 0, 0, LONGEST_GRACE.toSeconds()));
        body.end();
        return request.operations()
                .admin()
                .users()
                .rotate(request.context(), user, grace)
                .thenApply(made -> keyed(200, made.orElseThrow(() -> noSuchUser(user))));
    }

    private static ProblemException noSuchUser(String user) {
        return ProblemException.refused(404, "user-not-exist", "there is no user " + user);
    }

    private static RestAnswer keyed(int status, Keyed made) {
        return RestAnswer.json(status, new UserWithSecret(shown(made.user()), made.secretKey()))
                .with("Cache-Control", "no-store");
    }

    private static User shown(Shown user) {
        return new User(
                user.userId(),
                user.accessKey(),
                user.admin(),
                user.orgs(),
                user.teams(),
                user.createdAt(),
                user.oldKey().map(old -> new OldKey(old.accessKey(), Instant.ofEpochMilli(old.untilMillis()))));
    }
}
