// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.name.Names;
import org.talos.common.name.TopicDefaults;
import org.talos.common.name.TopicRequestName;
import org.talos.server.auth.Permissions;
import org.talos.server.config.ServiceConfig;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.quota.QuotaRecord;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.SubResource;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.Failures;
import org.talos.server.partition.serving.TopicPartitions;
import org.talos.server.runtime.thread.Later;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.FreeText;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.quota.QuotaMapping;
import org.talos.server.service.quota.TopicBounds;
import org.talos.thrift.AddSubResourceNameRequest;
import org.talos.thrift.ChangeTopicOwnerInfoRequest;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.CreateTopicResponse;
import org.talos.thrift.DeleteTopicAttributeRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Grantee;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicOwnerInfo;
import org.talos.thrift.TopicTalosResourceName;

/**
 * The calls that make, change and delete topics.
 *
 * <p>Thread-safe. Every call blocks.
 */
public final class TopicCalls {
    private static final String TEAM_PREFIX = "CI";
    private static final int MAX_SUB_RESOURCES = 1_024;

    private final TopicDirectory directory;
    private final TopicLookup topics;
    private final TopicPartitions partitions;
    private final TopicDeletions deletions;
    private final Quotas quotas;
    private final TopicBounds bounds;
    private final Duration partitionChangeInterval;
    private final InstantSource clock;

    /** Calls on these rows; {@code sweeps} remove the rest of deleted topics. */
    public TopicCalls(
            TopicRows rows,
            TopicBounds bounds,
            TopicPartitions partitions,
            Later sweeps,
            ServiceConfig config,
            InstantSource clock) {
        this.directory = rows.directory();
        this.topics = new TopicLookup(directory);
        this.partitions = partitions;
        this.deletions = new TopicDeletions(rows, partitions, sweeps);
        this.quotas = rows.quotas();
        this.bounds = bounds;
        this.partitionChangeInterval = config.partitionChangeInterval();
        this.clock = clock;
    }

    /** Finishes deletions that were interrupted; to be called once at the start. */
    public void resumeDeletions() throws MetadataException {
        deletions.resume();
    }

    /** Takes up deletions that another server has left; to be called at intervals. */
    public void adoptDeletions() throws MetadataException {
        deletions.adopt();
    }

    /**
     * Creates a topic, which serves when this returns.
     *
     * <p>A created topic stays, also if this fails: clients that know its name may have put to it already, and a
     * repeated call, which is refused because the topic exists, may have promised it to its caller.
     *
     * @throws TalosException with the effect DONE if the topic was created, but does not serve yet
     */
    public CreateTopicResponse createTopic(Caller caller, CreateTopicRequest request) throws MetadataException {
        caller.principal().requireRightToAct();
        TopicRecord topic = asked(caller, request);
        Optional<QuotaRecord> quota = Optional.ofNullable(request.getTopicQuota())
                .map(asked -> QuotaMapping.from(asked, QuotaRecord.UNBOUNDED));
        create(caller, topic);
        return serving(topic, quota);
    }

    /** Creates an owner's topics one after another: two at once could exceed the owner's quota. */
    private void create(Caller caller, TopicRecord topic) throws MetadataException {
        synchronized (bounds.lockOf(topic.owner())) {
            // Another server may have deleted the topic that is known here: its name is free, and its owner has room.
            if (directory.byName(topic.name()).isPresent()
                    && directory.readAgain(topic.name()).isPresent()) {
                throw taken(topic);
            }
            bounds.requireRoomFor(topic, caller);
            if (!directory.create(topic)) {
                throw taken(topic);
            }
        }
    }

    private static TalosException taken(TopicRecord topic) {
        return TalosException.refused(ErrorCode.TOPIC_EXIST, "there is a topic " + topic.name() + " already");
    }

    private void setQuota(TopicRecord topic, QuotaRecord quota) {
        try {
            quotas.setTopic(topic.topicId(), quota);
        } catch (MetadataException e) {
            throw done("the topic is created; its quota is not known to be set: set it again", e);
        }
    }

    private void open(TopicRecord topic, String done) {
        try {
            partitions.open(topic);
        } catch (TalosException e) {
            throw done(done, e);
        }
    }

    private static TalosException done(String message, Exception cause) {
        return new TalosException(ErrorCode.INTERNAL_SERVER_ERROR, Effect.DONE, message, cause);
    }

    private TopicRecord asked(Caller caller, CreateTopicRequest request) {
        TopicRequestName name = TopicRequestName.parse(request.getTopicName());
        if (!Names.isValid(name.name())) {
            throw TalosException.refused(
                    ErrorCode.INVALID_NAME_ERROR, "topicName: name or orgId/name; a name has " + Names.EXPECTED);
        }
        TopicAttribute attribute = request.getTopicAttribute();
        TopicChanges.check(attribute);
        TopicChanges.requireSmall(Map.of(), TopicChanges.attributes(attribute));
        String owner = owner(caller, name);
        int number = attribute.isSetPartitionNumber() ? attribute.getPartitionNumber() : TopicDefaults.PARTITIONS;
        return new TopicRecord(
                name.name(),
                newId(),
                owner,
                number,
                number,
                attribute.isSetMessageRetentionSecs()
                        ? attribute.getMessageRetentionSecs()
                        : TopicDefaults.RETENTION_SECONDS,
                TopicChanges.attributes(attribute),
                acl(owner, request.getAclMap()),
                clock.millis(),
                0,
                null,
                FreeText.bounded("ownerName", request.getOwnerName()),
                List.of());
    }

    /**
     * Returns the owner of a new topic: the org that its name begins with, if the caller belongs to it, else the
     * caller.
     */
    private static String owner(Caller caller, TopicRequestName name) {
        if (name.orgId().isEmpty()) {
            return caller.principal().userId();
        }
        String org = name.orgId().get();
        if (!Names.isValid(org) || !org.startsWith(TopicBounds.ORG_PREFIX)) {
            throw TalosException.refused(
                    ErrorCode.INVALID_NAME_ERROR, "orgId: a name that begins with " + TopicBounds.ORG_PREFIX);
        }
        if (!caller.principal().admin() && !caller.principal().orgIds().contains(org)) {
            throw TalosException.refused(ErrorCode.PERMISSION_DENIED_ERROR, "this is for members of the org");
        }
        return org;
    }

    private static Map<String, Integer> acl(String owner, @Nullable Map<Grantee, Permission> asked) {
        Map<String, Integer> acl = new HashMap<>();
        if (asked != null) {
            asked.forEach((grantee, permission) -> {
                String identifier = PermissionCalls.identifier(grantee);
                int bits = permission == null ? 0 : permission.getValue();
                Permissions.requireGrantable(owner, identifier, bits);
                acl.put(identifier, bits);
            });
        }
        PermissionCalls.requireRoom(acl);
        return acl;
    }

    /** Deletes a topic: it is not found any more when this returns; its data is deleted later. */
    public void deleteTopic(Caller caller, TopicTalosResourceName name) throws MetadataException {
        TopicRecord topic = changeable(caller, name);
        if (!deletions.delete(topic)) {
            throw gone(topic);
        }
    }

    /**
     * Creates a topic of the same owner as another, with its settings, permissions, and quota, and without its messages
     * and groups.
     *
     * @throws TalosException as {@link #createTopic}
     */
    public CreateTopicResponse copyTopic(Caller caller, TopicTalosResourceName name, String copy)
            throws MetadataException {
        TopicRecord topic = changeable(caller, name);
        if (!Names.isValid(copy)) {
            throw TalosException.refused(ErrorCode.INVALID_NAME_ERROR, "name: a name has " + Names.EXPECTED);
        }
        TopicRecord made = topic.renewed(copy, newId(), clock.millis());
        create(caller, made);
        return serving(made, quotas.ofTopic(topic.topicId()));
    }

    /**
     * Deletes a topic, and creates it again likewise. No bound is checked: the new topic has no more of anything.
     *
     * @throws TalosException with the effect UNKNOWN if the topic is deleted, and perhaps not created again
     */
    public CreateTopicResponse recreateTopic(Caller caller, TopicTalosResourceName name) throws MetadataException {
        TopicRecord topic = changeable(caller, name);
        Optional<QuotaRecord> quota = quotas.ofTopic(topic.topicId());
        TopicRecord made = topic.renewed(topic.name(), newId(), clock.millis());
        synchronized (bounds.lockOf(topic.owner())) {
            if (!deletions.delete(topic)) {
                throw gone(topic);
            }
            createAgain(made);
        }
        return serving(made, quota);
    }

    private void createAgain(TopicRecord topic) {
        String deleted = "the topic " + topic.name() + " is deleted, and ";
        boolean created;
        try {
            created = directory.create(topic);
        } catch (MetadataException e) {
            throw new TalosException(
                    ErrorCode.INTERNAL_SERVER_ERROR,
                    Effect.UNKNOWN,
                    deleted + "may not be created again: look for it, and create it",
                    e);
        }
        if (!created) {
            throw new TalosException(
                    ErrorCode.TOPIC_EXIST, Effect.UNKNOWN, deleted + "somebody has created another of its name");
        }
    }

    private CreateTopicResponse serving(TopicRecord made, Optional<QuotaRecord> quota) {
        if (quota.isPresent()) {
            setQuota(made, quota.get());
        }
        open(made, "the topic is created; not all partitions serve yet");
        return new CreateTopicResponse(TopicViews.info(made));
    }

    private static String newId() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    /** Changes the attributes that are set. With an unchanged partition number, opens partitions that are not open. */
    public void changeTopicAttribute(Caller caller, TopicTalosResourceName name, TopicAttribute asked)
            throws MetadataException {
        TopicRecord topic = changeable(caller, name);
        TopicChanges.check(asked);
        long now = clock.millis();
        TopicRecord changed = update(caller, topic, before -> {
            TopicRecord after = TopicChanges.mergeAttributes(before, TopicChanges.attributes(asked));
            after = asked.isSetPartitionNumber() ? grown(after, asked.getPartitionNumber(), now) : after;
            return asked.isSetMessageRetentionSecs() ? after.withRetention(asked.getMessageRetentionSecs()) : after;
        });
        if (asked.isSetPartitionNumber()) {
            open(changed, "the topic is changed; not all partitions serve yet");
        }
    }

    private TopicRecord grown(TopicRecord topic, int number, long now) {
        if (number == topic.partitions()) {
            return topic;
        }
        if (number < topic.partitions()) {
            throw Failures.invalid("partitionNumber: " + number + " (expected: " + topic.partitions()
                    + " or more, it cannot decrease)");
        }
        long since = now - topic.partitionsChangedAt(); // negative if a server whose clock was ahead changed it
        if (topic.partitionsChangedAt() != 0 && since >= 0 && since < partitionChangeInterval.toMillis()) {
            throw TalosException.refusedFor(
                    partitionChangeInterval.minusMillis(since),
                    ErrorCode.CHANGE_PARTITION_TOO_FAST,
                    "the partition number may change once in " + partitionChangeInterval.toSeconds() + " s");
        }
        return topic.withPartitions(number, now);
    }

    /** Removes one of a topic's attributes. */
    public void deleteTopicAttribute(Caller caller, DeleteTopicAttributeRequest request) throws MetadataException {
        TopicRecord topic = changeable(caller, request.getTopicTalosResourceName());
        updateUnlocked(caller, topic, before -> TopicChanges.withoutAttribute(before, request.getTopicAttributeKey()));
    }

    /** Changes the recorded owner of a topic. */
    public void changeTopicOwnerInfo(Caller caller, ChangeTopicOwnerInfoRequest request) throws MetadataException {
        TopicRecord topic = changeable(caller, request.getTopicTalosResourceName());
        TopicOwnerInfo info = request.getOwnerInfo();
        @Nullable String chargeId = FreeText.bounded("chargeId", info.getChargeId());
        @Nullable String ownerName = FreeText.bounded("ownerName", info.getOwnerName());
        updateUnlocked(caller, topic, before -> before.withOwnerInfo(chargeId, ownerName)); // bounded texts: no lock
    }

    /** Opens a developer's topic to an org; an org's topic has its members already. */
    public void addSubResourceName(Caller caller, AddSubResourceNameRequest request) throws MetadataException {
        TopicRecord topic = topics.byResourceName(request.getTopicTalosResourceName());
        Permissions.requireOwner(topic, caller.principal());
        requireId(request.getOrgId(), TopicBounds.ORG_PREFIX);
        requireId(request.getAdminTeamId(), TEAM_PREFIX);
        if (topic.owner().startsWith(TopicBounds.ORG_PREFIX)) {
            throw Failures.invalid("only a developer's topic can be opened to an org");
        }
        update(caller, topic, before -> opened(before, new SubResource(request.getOrgId(), request.getAdminTeamId())));
    }

    private static TopicRecord opened(TopicRecord topic, SubResource to) {
        if (topic.subResources().stream().anyMatch(each -> each.orgId().equals(to.orgId()))) {
            throw TalosException.refused(
                    ErrorCode.SUB_RESOURCE_NAME_EXIST, "the topic is open to " + to.orgId() + " already");
        }
        if (topic.subResources().size() >= MAX_SUB_RESOURCES) {
            throw Failures.invalid("number of orgs that a topic is open to: "
                    + (topic.subResources().size() + 1) + " (expected: 0.." + MAX_SUB_RESOURCES + ")");
        }
        List<SubResource> all = new ArrayList<>(topic.subResources());
        all.add(to);
        return topic.withSubResources(all);
    }

    private static void requireId(String id, String prefix) {
        if (!Names.isValid(id) || !id.startsWith(prefix)) {
            throw TalosException.refused(ErrorCode.INVALID_NAME_ERROR, "expected a name that begins with " + prefix);
        }
    }

    private TopicRecord changeable(Caller caller, TopicTalosResourceName name) {
        TopicRecord topic = topics.byResourceName(name);
        Permissions.require(topic, caller.principal(), Permission.CHANGE_TOPIC);
        return topic;
    }

    /** Changes a topic by which it may grow: one such change of an owner after another, or two could exceed a bound. */
    private TopicRecord update(Caller caller, TopicRecord topic, UnaryOperator<TopicRecord> change)
            throws MetadataException {
        synchronized (bounds.lockOf(topic.owner())) {
            return updateUnlocked(caller, topic, change);
        }
    }

    /**
     * Changes a topic. Call it without the lock only if the row shrinks, or grows by a text whose length is bounded.
     */
    private TopicRecord updateUnlocked(Caller caller, TopicRecord topic, UnaryOperator<TopicRecord> change)
            throws MetadataException {
        return directory
                .update(topic.topicId(), before -> {
                    TopicRecord after = change.apply(before);
                    bounds.requireRoomFor(before, after, caller);
                    return after;
                })
                .orElseThrow(() -> gone(topic));
    }

    static TalosException gone(TopicRecord topic) {
        return TalosException.refused(ErrorCode.TOPIC_NOT_EXIST, "no topic " + topic.resourceName());
    }
}
