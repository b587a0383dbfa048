// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.talos.common.name.MemberKind;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.ValueType;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.records.GroupRecords;
import org.talos.server.http.rest.records.GroupRecords.Granted;
import org.talos.server.http.rest.records.GroupRecords.Group;
import org.talos.server.http.rest.records.GroupRecords.GroupGrant;
import org.talos.server.http.rest.records.GroupRecords.Groups;
import org.talos.server.http.rest.records.GroupRecords.Holder;
import org.talos.server.http.rest.records.GroupRecords.MovedPartition;
import org.talos.server.http.rest.records.GroupRecords.PartitionLag;
import org.talos.server.http.rest.records.GroupRecords.Reset;
import org.talos.server.http.rest.records.GroupRecords.Undo;
import org.talos.server.http.rest.records.PermissionRecords.Warnings;
import org.talos.server.service.group.GroupDescription;
import org.talos.server.service.group.GroupReset;
import org.talos.server.service.group.GroupReset.Moved;
import org.talos.server.service.group.GroupReset.Target;
import org.talos.thrift.GroupRight;

/** Consumer groups for operators: list, describe, reset, delete, and the permissions on them. Thread-safe. */
final class GroupResources {
    private static final String GROUPS = "/v1/topics/{topic}/groups";
    private static final String GROUP = GROUPS + "/{group}";
    private static final String PREVIEW = "preview";
    private static final String RIGHT = GROUP + "/rights/{grantee}";

    List<Route> routes() {
        return Stream.of(groupRoutes(), resetRoutes(), rightRoutes())
                .flatMap(List::stream)
                .toList();
    }

    private List<Route> groupRoutes() {
        return List.of(
                Route.of("GET", GROUPS, Route.Body.NONE, this::list)
                        .named("listGroups", "Consumer groups that were used and not deleted")
                        .answers(200, "Their names.", Groups.class),
                Route.of("GET", GROUP, Route.Body.NONE, this::show)
                        .named("showGroup", "Members, offsets and lag of a group")
                        .answers(200, "The group now.", Group.class),
                Route.of("DELETE", GROUP, Route.Body.NONE, this::delete)
                        .named("deleteGroup", "Forget a group without members, with all that it committed")
                        .answers(204, "It is gone.")
                        .fails(409));
    }

    private List<Route> resetRoutes() {
        return List.of(
                Route.of("POST", GROUP + "/reset", Route.Body.SMALL, this::reset)
                        .named("resetGroup", "Move a group, or say what would move")
                        .query(
                                PREVIEW,
                                "Only say what would move.",
                                ValueType.flag().usual(false))
                        .takes(Reset.class)
                        .answers(200, "What moved, or would.", GroupRecords.Moved.class)
                        .fails(409, 416),
                Route.of("POST", GROUP + "/reset/undo", Route.Body.SMALL, this::undo)
                        .named("undoReset", "Put back what the last reset moved, or say what would move")
                        .query(
                                PREVIEW,
                                "Only say what would move.",
                                ValueType.flag().usual(false))
                        .mayTake(Undo.class)
                        .answers(200, "What moved back, or would.", GroupRecords.Moved.class)
                        .fails(409));
    }

    private List<Route> rightRoutes() {
        return List.of(
                Route.of("PUT", RIGHT, Route.Body.SMALL, this::grant)
                        .named("grantGroup", "Let somebody use a group; what they had before is replaced")
                        .takes(GroupGrant.class)
                        .answers(
                                200,
                                "It holds from now on, but no user, team or org has the identifier at present.",
                                Warnings.class)
                        .answers(204, "It holds from now on.")
                        .fails(422),
                Route.of("DELETE", RIGHT, Route.Body.NONE, this::revoke)
                        .named("revokeGroup", "Take from somebody what was granted")
                        .answers(204, "Nothing is granted to them.")
                        .fails(422));
    }

    private CompletionStage<RestAnswer> list(RestRequest request) {
        return request.operations()
                .groups()
                .names(request.context(), request.variable(0))
                .thenApply(names -> RestAnswer.json(200, new Groups(List.copyOf(names))));
    }

    private CompletionStage<RestAnswer> show(RestRequest request) {
        return request.operations()
                .groups()
                .describe(request.context(), MemberResources.name(request))
                .thenApply(group -> RestAnswer.json(200, shown(group)));
    }

    private static Group shown(GroupDescription group) {
        return new Group(
                group.owner(),
                group.grants().entrySet().stream()
                        .map(each -> new Granted(
                                each.getKey(), each.getValue().name().toLowerCase(Locale.ROOT)))
                        .toList(),
                group.members().entrySet().stream()
                        .map(each -> new Holder(
                                each.getKey(), MemberKind.of(each.getKey()).word(), each.getValue()))
                        .toList(),
                group.partitions().stream()
                        .map(each -> new PartitionLag(
                                each.partition(),
                                each.member(),
                                each.committed(),
                                each.start(),
                                each.end(),
                                each.lag()))
                        .toList(),
                group.lag());
    }

    private CompletionStage<RestAnswer> delete(RestRequest request) {
        return request.resourceName(request.variable(0))
                .thenCompose(name -> request.operations().groups().delete(request.context(), request.variable(1), name))
                .thenApply(deleted -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> grant(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        GroupRight right = right(body);
        body.end();
        String grantee = request.identifier(2);
        return PermissionResources.granting(
                request,
                grantee,
                () -> request.operations()
                        .groups()
                        .grant(request.context(), MemberResources.name(request), grantee, right));
    }

    private static GroupRight right(JsonObject body) {
        return switch (body.text("right").orElse("")) {
            case "read" -> GroupRight.READ;
            case "commit" -> GroupRight.COMMIT;
            case "administer" -> GroupRight.ADMINISTER;
            default -> throw body.wrong("right", "read, commit or administer");
        };
    }

    private CompletionStage<RestAnswer> revoke(RestRequest request) {
        return request.operations()
                .groups()
                .revoke(request.context(), MemberResources.name(request), request.identifier(2))
                .thenApply(revoked -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> reset(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        boolean preview = preview(request, body);
        GroupReset reset =
                new GroupReset(target(body, request), body.integers("partitions"), preview, body.flag("force"));
        body.end();
        return request.operations()
                .groups()
                .reset(request.context(), MemberResources.name(request), reset)
                .thenApply(moves -> RestAnswer.json(200, moved(reset.preview(), moves)));
    }

    /** Returns whether the query, or a field of the body, asks for a preview. */
    private static boolean preview(RestRequest request, JsonObject body) {
        boolean byField = body.flag(PREVIEW); // asked for in any case, so that it is known
        return request.query().flag(PREVIEW) || byField;
    }

    private CompletionStage<RestAnswer> undo(RestRequest request) {
        JsonObject body = Json.readObjectIfAny(request.body());
        boolean preview = preview(request, body);
        boolean force = body.flag("force");
        body.end();
        return request.operations()
                .groups()
                .undoReset(request.context(), MemberResources.name(request), preview, force)
                .thenApply(moves -> RestAnswer.json(200, moved(preview, moves)));
    }

    private static Target target(JsonObject body, RestRequest request) {
        OptionalLong offset = body.number("offset");
        String to = body.text("to").orElse("");
        if (offset.isPresent() != to.isEmpty()) {
            throw body.wrong("to", "earliest, latest or a time; or an offset in its place");
        }
        if (offset.isPresent() && offset.getAsLong() < 0) {
            throw body.wrong("offset", "0 or more");
        }
        if (offset.isPresent()) {
            return new Target.Offset(offset.getAsLong());
        }
        return switch (to) {
            case "earliest" -> new Target.Earliest();
            case "latest" -> new Target.Latest();
            default -> new Target.Time(Times.parse(to, request));
        };
    }

    private static GroupRecords.Moved moved(boolean preview, List<Moved> moves) {
        return new GroupRecords.Moved(
                preview, moves.stream().map(GroupResources::moved).toList());
    }

    private static MovedPartition moved(Moved move) {
        boolean isCounted = move.from().isPresent() && move.to().isPresent();
        return new MovedPartition(
                move.partition(),
                move.from(),
                move.to(),
                isCounted ? OptionalLong.of(move.skipped()) : OptionalLong.empty(),
                isCounted ? OptionalLong.of(move.repeated()) : OptionalLong.empty());
    }
}
