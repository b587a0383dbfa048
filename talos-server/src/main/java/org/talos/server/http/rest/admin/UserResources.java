// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.admin;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.talos.server.auth.NewUser;
import org.talos.server.auth.OwnKey;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.ProblemException;
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
                Route.of("GET", USERS, Set.of(), Route.Body.NONE, this::list),
                Route.of("POST", USERS, Set.of(), Route.Body.SMALL, this::add),
                Route.of("DELETE", USER, Set.of(), Route.Body.NONE, this::remove),
                Route.of("POST", USER + "/key", Set.of(), Route.Body.SMALL, this::rotate));
    }

    private CompletionStage<RestAnswer> list(RestRequest request) {
        return request.operations().admin().users().list(request.context()).thenApply(all -> {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            ArrayNode users = json.putArray("users");
            all.forEach(each -> users.add(json(each)));
            return RestAnswer.json(200, json);
        });
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
        return RestAnswer.json(status, json(made.user()).put("secretKey", made.secretKey()))
                .with("Cache-Control", "no-store");
    }

    private static ObjectNode json(Shown user) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("user", user.userId());
        json.put("accessKey", user.accessKey());
        json.put("admin", user.admin());
        user.orgs().forEach(json.putArray("orgs")::add);
        user.teams().forEach(json.putArray("teams")::add);
        json.put("createdAt", user.createdAt());
        user.oldKey()
                .ifPresent(old -> json.putObject("oldKey")
                        .put("accessKey", old.accessKey())
                        .put("until", Instant.ofEpochMilli(old.untilMillis()).toString()));
        return json;
    }
}
