// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.records.PermissionRecords.Grant;
import org.talos.server.http.rest.records.PermissionRecords.Permissions;
import org.talos.server.http.rest.records.PermissionRecords.Permitted;
import org.talos.server.http.rest.records.PermissionRecords.Warnings;
import org.talos.server.service.topic.PermissionOperations;
import org.talos.thrift.CheckGranteeResponse;
import org.talos.thrift.Grantee;
import org.talos.thrift.Permission;

/** The permissions of a topic. Thread-safe. */
final class PermissionResources {
    private static final String ALL = "/v1/topics/{topic}/permissions";
    private static final String ONE = ALL + "/{grantee}";

    List<Route> routes() {
        return List.of(
                Route.of("GET", ALL, Route.Body.NONE, this::list)
                        .named("permissions", "Who may do what with a topic")
                        .answers(200, "The owner and all others.", Permissions.class),
                Route.of("PUT", ONE, Route.Body.SMALL, this::set)
                        .named("grant", "Let somebody use a topic; what they had before is replaced")
                        .takes(Grant.class)
                        .answers(
                                200,
                                "It holds from now on, but no user, team or org has the identifier at present.",
                                Warnings.class)
                        .answers(204, "It holds from now on.")
                        .fails(422),
                Route.of("DELETE", ONE, Route.Body.NONE, this::revoke)
                        .named("revoke", "Take everything from somebody")
                        .answers(204, "They have nothing.")
                        .fails(422));
    }

    private CompletionStage<RestAnswer> list(RestRequest request) {
        return request.resourceName(request.variable(0))
                .thenCompose(name -> permissions(request).list(request.context(), name))
                .thenApply(permissions -> RestAnswer.json(
                        200,
                        new Permissions(new TreeMap<>(permissions.getPermissions())
                                .entrySet().stream()
                                        .map(each -> permitted(each.getKey(), each.getValue()))
                                        .toList())));
    }

    private static PermissionOperations permissions(RestRequest request) {
        return request.operations().topics().permissions();
    }

    private static Permitted permitted(String grantee, int bits) {
        return new Permitted(
                grantee,
                has(bits, Permission.PUT_MESSAGE),
                has(bits, Permission.GET_MESSAGE),
                has(bits, Permission.DESCRIBE_TOPIC),
                has(bits, Permission.CHANGE_TOPIC));
    }

    private static boolean has(int bits, Permission permission) {
        return (bits & permission.getValue()) != 0;
    }

    /** The permission to put or to get includes that to describe, which every client needs. */
    private CompletionStage<RestAnswer> set(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        boolean put = body.flag("put");
        boolean get = body.flag("get");
        body.end();
        Permission permission = permission(put, get);
        return granting(
                request,
                request.identifier(1),
                () -> request.resourceName(request.variable(0))
                        .thenCompose(name ->
                                permissions(request).set(request.context(), name, grantee(request), permission)));
    }

    /**
     * Runs a grant and answers it: without content, or with a warning if there is no user with the grantee's
     * identifier. The check comes first, so that nothing can fail once the grant is stored.
     */
    static CompletionStage<RestAnswer> granting(
            RestRequest request, String grantee, Supplier<CompletionStage<?>> grant) {
        return request.operations()
                .admin()
                .users()
                .checkGrantee(request.context(), grantee)
                .thenCompose(check -> grant.get().thenApply(granted -> granted(check)));
    }

    private static RestAnswer granted(CheckGranteeResponse check) {
        return check.isSetWarning()
                ? RestAnswer.json(200, new Warnings(List.of(check.getWarning())))
                : RestAnswer.noContent();
    }

    private static Permission permission(boolean put, boolean get) {
        if (put && get) {
            return Permission.TOPIC_READ_AND_MESSAGE_FULL_CONTROL;
        }
        if (put) {
            return Permission.PUT_MESSAGE_AND_DESCRIBE_TOPIC;
        }
        return get ? Permission.GET_MESSAGE_AND_DESCRIBE_TOPIC : Permission.DESCRIBE_TOPIC;
    }

    private static Grantee grantee(RestRequest request) {
        Grantee grantee = new Grantee();
        grantee.setIdentifier(request.identifier(1));
        return grantee;
    }

    private CompletionStage<RestAnswer> revoke(RestRequest request) {
        return request.resourceName(request.variable(0))
                .thenCompose(name -> permissions(request).revoke(request.context(), name, grantee(request)))
                .thenApply(revoked -> RestAnswer.noContent());
    }
}
