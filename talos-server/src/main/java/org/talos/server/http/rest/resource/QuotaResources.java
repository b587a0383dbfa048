// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.records.QuotaRecords;
import org.talos.server.http.rest.records.QuotaRecords.Application;
import org.talos.server.http.rest.records.QuotaRecords.Approval;
import org.talos.server.http.rest.records.QuotaRecords.OfOrg;
import org.talos.server.http.rest.records.QuotaRecords.OfUser;
import org.talos.server.http.rest.records.QuotaRecords.OrgQuotas;
import org.talos.server.http.rest.records.QuotaRecords.QuotaNow;
import org.talos.server.http.rest.records.QuotaRecords.TopicQuota;
import org.talos.server.http.rest.records.QuotaRecords.UserQuotas;
import org.talos.server.service.quota.QuotaOperations;
import org.talos.thrift.PartitionQuotaInfo;
import org.talos.thrift.UserQuota;

/** Quotas of users and topics, and of the partitions of orgs. Thread-safe. */
final class QuotaResources {
    private static final String OF_TOPIC = "/v1/topics/{topic}/quota";
    private static final String USERS = "/v1/quotas/users";
    private static final String USER = USERS + "/{user}";
    private static final String ORGS = "/v1/quotas/orgs";
    private static final String ORG = ORGS + "/{org}";

    List<Route> routes() {
        return Stream.of(quotaRoutes(), orgRoutes()).flatMap(List::stream).toList();
    }

    private List<Route> quotaRoutes() {
        return List.of(
                Route.of("GET", "/v1/quota", Route.Body.NONE, this::own)
                        .named("ownQuota", "The caller's own quota")
                        .answers(200, "The quota, and what is used of it.", QuotaNow.class)
                        .fails(404),
                Route.of("GET", OF_TOPIC, Route.Body.NONE, this::topic)
                        .named("topicQuota", "A topic's quota; without bounds if none is set")
                        .answers(200, "The quota, and what is used of it.", QuotaNow.class),
                Route.of("PUT", OF_TOPIC, Route.Body.SMALL, this::setTopic)
                        .named("setTopicQuota", "Set a topic's quota")
                        .takes(TopicQuota.class)
                        .answers(204, "It holds from now on.")
                        .fails(422),
                Route.of("DELETE", OF_TOPIC, Route.Body.NONE, this::deleteTopic)
                        .named("deleteTopicQuota", "Remove a topic's quota")
                        .answers(204, "It is gone."),
                Route.of("GET", USERS, Route.Body.NONE, this::users)
                        .named("userQuotas", "All users' quotas and what is used of them, for administrators")
                        .answers(
                                200,
                                "By user. Space and topics count on all servers together, rates at the "
                                        + "server that answers.",
                                UserQuotas.class),
                Route.of("GET", USER, Route.Body.NONE, this::user)
                        .named("userQuota", "A user's quota, for administrators")
                        .answers(200, "The quota, and what is used of it.", QuotaNow.class),
                Route.of("PUT", USER, Route.Body.SMALL, this::setUser)
                        .named("setUserQuota", "Set a user's quota")
                        .takes(QuotaRecords.UserQuota.class)
                        .answers(204, "It holds from now on.")
                        .fails(422),
                Route.of("DELETE", USER, Route.Body.NONE, this::deleteUser)
                        .named("deleteUserQuota", "Remove a user's quota")
                        .answers(204, "It is gone."));
    }

    private List<Route> orgRoutes() {
        return List.of(
                Route.of("GET", ORGS, Route.Body.NONE, this::orgs)
                        .named("orgQuotas", "Partitions of the caller's orgs: approved, and applied for")
                        .answers(200, "All of them.", OrgQuotas.class),
                Route.of("POST", ORG + "/application", Route.Body.SMALL, this::apply)
                        .named("applyForPartitions", "Apply for partitions, as a member of the org")
                        .takes(Application.class)
                        .answers(204, "The application waits for an administrator.")
                        .fails(422),
                Route.of("DELETE", ORG + "/application", Route.Body.NONE, this::refuse)
                        .named("refuseApplication", "Refuse an org's application; what it has stays")
                        .answers(204, "Done."),
                Route.of("POST", ORG + "/approval", Route.Body.SMALL, this::approve)
                        .named("approvePartitions", "Approve what an org applied for, or another number")
                        .takes(Approval.class)
                        .answers(204, "It holds from now on.")
                        .fails(422),
                Route.of("DELETE", ORG + "/approval", Route.Body.NONE, this::revokeApproval)
                        .named(
                                "takeBackPartitions",
                                "Take back the approved partitions: existing topics stay, and so does a "
                                        + "waiting application")
                        .answers(204, "Done."),
                Route.of("DELETE", ORG, Route.Body.NONE, this::revoke)
                        .named(
                                "revokeOrgQuota",
                                "Refuse an org's application; if none waits, take back what is approved")
                        .answers(204, "Done."));
    }

    private CompletionStage<RestAnswer> own(RestRequest request) {
        QuotaOperations quotas = quotas(request);
        return quotas.own(request.context())
                .thenCombine(
                        quotas.uses().own(request.context()),
                        (quota, used) -> RestAnswer.json(200, QuotaJson.shown(quota.getUserQuota(), used)));
    }

    private static QuotaOperations quotas(RestRequest request) {
        return request.operations().quotas();
    }

    /** A topic without a quota has one without bounds. */
    private CompletionStage<RestAnswer> topic(RestRequest request) {
        return request.operations()
                .topics()
                .describe(request.context(), request.variable(0))
                .thenCombine(
                        quotas(request).uses().ofTopic(request.context(), request.variable(0)),
                        (topic, used) -> RestAnswer.json(200, QuotaJson.shown(topic.getTopicQuota(), used)));
    }

    private CompletionStage<RestAnswer> setTopic(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        var quota = QuotaJson.readBase(body);
        body.end();
        return request.resourceName(request.variable(0))
                .thenCompose(name -> quotas(request).setOfTopic(request.context(), name, quota))
                .thenApply(set -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> deleteTopic(RestRequest request) {
        return request.resourceName(request.variable(0))
                .thenCompose(name -> quotas(request).deleteOfTopic(request.context(), name))
                .thenApply(deleted -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> users(RestRequest request) {
        QuotaOperations quotas = quotas(request);
        return quotas.ofUsers(request.context()).thenCombine(quotas.uses().ofAll(request.context()), (all, used) -> {
            List<OfUser> users = new ArrayList<>();
            new TreeMap<>(all.getUserQuotaList())
                    .forEach((user, quota) -> users.add(new OfUser(QuotaJson.shown(quota, used.apply(user)), user)));
            return RestAnswer.json(200, new UserQuotas(users));
        });
    }

    private CompletionStage<RestAnswer> user(RestRequest request) {
        String user = request.identifier(0);
        QuotaOperations quotas = quotas(request);
        return quotas.ofUser(request.context(), user)
                .thenCombine(
                        quotas.uses().ofAll(request.context()),
                        (quota, used) -> RestAnswer.json(200, QuotaJson.shown(quota, used.apply(user))));
    }

    private CompletionStage<RestAnswer> setUser(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        UserQuota quota = QuotaJson.readUser(body);
        body.end();
        return quotas(request)
                .setOfUser(request.context(), request.identifier(0), quota)
                .thenApply(set -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> deleteUser(RestRequest request) {
        return quotas(request)
                .deleteOfUser(request.context(), request.identifier(0))
                .thenApply(deleted -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> orgs(RestRequest request) {
        QuotaOperations quotas = quotas(request);
        return quotas.ofOrgs(request.context())
                .thenCompose(approved -> quotas.pending(request.context())
                        .thenApply(pending -> RestAnswer.json(
                                200,
                                new OrgQuotas(
                                        approved.getQuotaList().stream()
                                                .map(each -> ofOrg(each, Optional.empty()))
                                                .toList(),
                                        pending.getPendingQuotaList().stream()
                                                .map(each -> ofOrg(each, Optional.ofNullable(each.getApplyReason())))
                                                .toList()))));
    }

    private static OfOrg ofOrg(PartitionQuotaInfo info, Optional<String> reason) {
        return new OfOrg(info.getOrgId(), info.getTotalQuota(), info.getUsedOuota(), reason);
    }

    private CompletionStage<RestAnswer> apply(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        PartitionQuotaInfo asked = asked(request, body);
        body.text("reason").ifPresent(asked::setApplyReason);
        body.end();
        return quotas(request).apply(request.context(), asked).thenApply(waits -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> approve(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        PartitionQuotaInfo decided = asked(request, body);
        body.end();
        return quotas(request).approve(request.context(), decided).thenApply(approved -> RestAnswer.noContent());
    }

    private static PartitionQuotaInfo asked(RestRequest request, JsonObject body) {
        return new PartitionQuotaInfo(
                request.identifier(0), (int) body.requiredNumber("partitions", 1, Integer.MAX_VALUE));
    }

    private CompletionStage<RestAnswer> revoke(RestRequest request) {
        return quotas(request)
                .revoke(request.context(), request.identifier(0))
                .thenApply(revoked -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> refuse(RestRequest request) {
        return quotas(request)
                .refuse(request.context(), request.identifier(0))
                .thenApply(refused -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> revokeApproval(RestRequest request) {
        return quotas(request)
                .revokeApproval(request.context(), request.identifier(0))
                .thenApply(revoked -> RestAnswer.noContent());
    }
}
