// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import static org.talos.server.service.call.ServiceName.QUOTA;
import static org.talos.server.service.call.ServiceName.TOPIC;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.service.quota.QuotaUses;
import org.talos.thrift.ApplyQuotaRequest;
import org.talos.thrift.ApproveQuotaRequest;
import org.talos.thrift.ApproveQuotaResponse;
import org.talos.thrift.DeleteTopicQuotaRequest;
import org.talos.thrift.DeleteUserQuotaRequest;
import org.talos.thrift.DescribeTopicRequest;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.ListPendingQuotaResponse;
import org.talos.thrift.ListQuotaResponse;
import org.talos.thrift.ListUserQuotaResponse;
import org.talos.thrift.PartitionQuotaInfo;
import org.talos.thrift.QueryUserQuotaResponse;
import org.talos.thrift.RevokeQuotaRequest;
import org.talos.thrift.RevokeQuotaResponse;
import org.talos.thrift.SetTopicQuotaRequest;
import org.talos.thrift.SetUserQuotaRequest;
import org.talos.thrift.UserQuota;

/** Quotas of users and topics, and of the partitions of orgs. Thread-safe. */
final class QuotaResources {
    private static final String OF_TOPIC = "/v1/topics/{topic}/quota";
    private static final String USERS = "/v1/quotas/users";
    private static final String USER = USERS + "/{user}";
    private static final String ORGS = "/v1/quotas/orgs";
    private static final String ORG = ORGS + "/{org}";

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/v1/quota", Set.of(), Route.Body.NONE, this::own),
                Route.of("GET", OF_TOPIC, Set.of(), Route.Body.NONE, this::topic),
                Route.of("PUT", OF_TOPIC, Set.of(), Route.Body.SMALL, this::setTopic),
                Route.of("DELETE", OF_TOPIC, Set.of(), Route.Body.NONE, this::deleteTopic),
                Route.of("GET", USERS, Set.of(), Route.Body.NONE, this::users),
                Route.of("PUT", USER, Set.of(), Route.Body.SMALL, this::setUser),
                Route.of("DELETE", USER, Set.of(), Route.Body.NONE, this::deleteUser),
                Route.of("GET", ORGS, Set.of(), Route.Body.NONE, this::orgs),
                Route.of("POST", ORG + "/application", Set.of(), Route.Body.SMALL, this::apply),
                Route.of("DELETE", ORG + "/application", Set.of(), Route.Body.NONE, this::refuse),
                Route.of("POST", ORG + "/approval", Set.of(), Route.Body.SMALL, this::approve),
                Route.of("DELETE", ORG + "/approval", Set.of(), Route.Body.NONE, this::revokeApproval),
                Route.of("DELETE", ORG, Set.of(), Route.Body.NONE, this::revoke));
    }

    private CompletionStage<RestAnswer> own(RestRequest request) {
        return request.call(QUOTA, "queryUserQuota", null, QueryUserQuotaResponse.class)
                .thenCombine(
                        uses(request).own(request.context()),
                        (quota, used) -> RestAnswer.json(200, QuotaJson.write(quota.getUserQuota(), used)));
    }

    private static QuotaUses uses(RestRequest request) {
        return request.operations().operators().quotas();
    }

    /** A topic without a quota has one without bounds. */
    private CompletionStage<RestAnswer> topic(RestRequest request) {
        DescribeTopicRequest asked = new DescribeTopicRequest(request.variable(0));
        return request.call(TOPIC, "describeTopic", asked, DescribeTopicResponse.class)
                .thenCombine(
                        uses(request).ofTopic(request.context(), request.variable(0)),
                        (topic, used) ->
                                RestAnswer.json(200, QuotaJson.with(used, QuotaJson.write(topic.getTopicQuota()))));
    }

    private CompletionStage<RestAnswer> setTopic(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        var quota = QuotaJson.readBase(body);
        body.end();
        return request.resourceName(request.variable(0))
                .thenCompose(name -> request.call(TOPIC, "setTopicQuota", new SetTopicQuotaRequest(name, quota)))
                .thenApply(set -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> deleteTopic(RestRequest request) {
        return request.resourceName(request.variable(0))
                .thenCompose(name -> request.call(TOPIC, "deleteTopicQuota", new DeleteTopicQuotaRequest(name)))
                .thenApply(deleted -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> users(RestRequest request) {
        return request.call(QUOTA, "listUserQuota", null, ListUserQuotaResponse.class)
                .thenCombine(uses(request).ofAll(request.context()), (all, used) -> {
                    ObjectNode json = JsonNodeFactory.instance.objectNode();
                    ArrayNode users = json.putArray("users");
                    new TreeMap<>(all.getUserQuotaList())
                            .forEach((user, quota) -> users.add(
                                    QuotaJson.write(quota, used.apply(user)).put("user", user)));
                    return RestAnswer.json(200, json);
                });
    }

    private CompletionStage<RestAnswer> setUser(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        UserQuota quota = QuotaJson.readUser(body);
        body.end();
        return request.call(QUOTA, "setUserQuota", new SetUserQuotaRequest(request.identifier(0), quota))
                .thenApply(set -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> deleteUser(RestRequest request) {
        return request.call(QUOTA, "deleteUserQuota", new DeleteUserQuotaRequest(request.identifier(0)))
                .thenApply(deleted -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> orgs(RestRequest request) {
        return request.call(QUOTA, "listQuota", null, ListQuotaResponse.class)
                .thenCompose(approved -> request.call(QUOTA, "listPendingQuota", null, ListPendingQuotaResponse.class)
                        .thenApply(pending -> {
                            ObjectNode json = JsonNodeFactory.instance.objectNode();
                            approved.getQuotaList()
                                    .forEach(each -> json.withArray("approved").add(json(each)));
                            json.withArray("approved");
                            json.set("waiting", waiting(pending.getPendingQuotaList()));
                            return RestAnswer.json(200, json);
                        }));
    }

    private static ArrayNode waiting(List<PartitionQuotaInfo> pending) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        pending.forEach(each -> all.add(json(each).put("reason", each.getApplyReason())));
        return all;
    }

    private static ObjectNode json(PartitionQuotaInfo info) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("org", info.getOrgId())
                .put("partitions", info.getTotalQuota())
                .put("usedPartitions", info.getUsedOuota());
    }

    private CompletionStage<RestAnswer> apply(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        PartitionQuotaInfo asked = asked(request, body);
        body.text("reason").ifPresent(asked::setApplyReason);
        body.end();
        return request.call(QUOTA, "applyQuota", new ApplyQuotaRequest(asked))
                .thenApply(waits -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> approve(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        PartitionQuotaInfo decided = asked(request, body);
        body.end();
        return request.call(QUOTA, "approveQuota", new ApproveQuotaRequest(decided), ApproveQuotaResponse.class)
                .thenApply(approved -> RestAnswer.noContent());
    }

    private static PartitionQuotaInfo asked(RestRequest request, JsonObject body) {
        return new PartitionQuotaInfo(
                request.identifier(0), (int) body.requiredNumber("partitions", 1, Integer.MAX_VALUE));
    }

    private CompletionStage<RestAnswer> revoke(RestRequest request) {
        return revoke(request, ofOrg(request));
    }

    private CompletionStage<RestAnswer> refuse(RestRequest request) {
        return revoke(request, ofOrg(request).setApplication(true));
    }

    private CompletionStage<RestAnswer> revokeApproval(RestRequest request) {
        return revoke(request, ofOrg(request).setApplication(false));
    }

    private static RevokeQuotaRequest ofOrg(RestRequest request) {
        return new RevokeQuotaRequest(new PartitionQuotaInfo(request.identifier(0), 0));
    }

    private static CompletionStage<RestAnswer> revoke(RestRequest request, RevokeQuotaRequest revoked) {
        return request.call(QUOTA, "revokeQuota", revoked, RevokeQuotaResponse.class)
                .thenApply(done -> RestAnswer.noContent());
    }
}
