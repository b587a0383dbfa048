// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.ZooKeeperSaslConfig;
import org.talos.server.config.ZooKeeperSaslConfig.Access;

/**
 * The access lists of nodes: those for new nodes, and those of existing nodes. Blocks where it calls ZooKeeper.
 *
 * <p>Immutable.
 */
public final class AccessLists {
    private static final Logger LOG = LoggerFactory.getLogger(AccessLists.class);
    private static final int ASKED_AT_ONCE = 512;
    private static final String SASL = "sasl";
    private static final Id ANYONE = new Id("world", "anyone");
    private static final Id WHO_MADE_IT = new Id("auth", ""); // ZooKeeper fills in the authenticated client
    private static final ACL ALL_BY_ANYONE = new ACL(ZooDefs.Perms.ALL, ANYONE);
    private static final ACL READ_BY_ANYONE = new ACL(ZooDefs.Perms.READ, ANYONE);
    private static final ACL ALL_BY_WHO_MADE_IT = new ACL(ZooDefs.Perms.ALL, WHO_MADE_IT);

    private final Access access;

    /** The access lists of servers with this configuration. */
    public AccessLists(ZooKeeperSaslConfig config) {
        access = config.enabled() ? config.access() : Access.OPEN;
    }

    /** A node as it was found. Immutable. */
    private record Found(String path, Stat stat, List<ACL> list) {}

    /**
     * A summary of the nodes' access lists. Immutable.
     *
     * @param nodes number of nodes
     * @param open paths of nodes that everyone may change
     * @param other number of nodes, besides the open ones, whose list differs from that of new nodes
     */
    public record Survey(int nodes, List<String> open, int other) {}

    /** Gives new nodes their list. */
    public ACLProvider forNewNodes() {
        List<ACL> list = list();
        return new ACLProvider() {
            @Override
            public List<ACL> getDefaultAcl() {
                return list;
            }

            @Override
            public List<ACL> getAclForPath(String path) {
                return list;
            }
        };
    }

    /** Not lists of {@code List.of}: ZooKeeper's client asks them whether they contain null. */
    private List<ACL> list() {
        return switch (access) {
            case OPEN -> Arrays.asList(ALL_BY_ANYONE);
            case PRIVATE -> Arrays.asList(ALL_BY_WHO_MADE_IT);
            case READABLE -> Arrays.asList(ALL_BY_WHO_MADE_IT, READ_BY_ANYONE);
        };
    }

    /** Looks at a node and all below it; at nothing if it is missing. */
    public Survey survey(ZooKeeper client, String root) throws KeeperException, InterruptedException {
        List<String> open = new ArrayList<>();
        int other = 0;
        List<Found> all = all(client, root);
        for (Found each : all) {
            if (isOpen(each.list)) {
                open.add(each.path);
            } else if (!isAsNew(each.list)) {
                other++;
            }
        }
        return new Survey(all.size(), open, other);
    }

    /**
     * Sets the list of new nodes on a node and all nodes below it, where they have another list that servers set. Lists
     * that others have set stay as they are. Returns the number of changed nodes.
     *
     * @throws KeeperException.NoAuthException a node belongs to somebody else
     */
    public int change(ZooKeeper client, String root) throws KeeperException, InterruptedException {
        int changed = 0;
        for (Found each : all(client, root)) {
            if (!isAsNew(each.list) && isOfServers(each.list) && change(client, each)) {
                changed++;
            }
        }
        if (changed > 0) {
            LOG.info("access lists of nodes changed root={} nodes={} access={}", root, changed, access);
        }
        return changed;
    }

    /** Only if the list is still the one that was read, and the node is there. */
    private boolean change(ZooKeeper client, Found node) throws KeeperException, InterruptedException {
        try {
            var unused = client.setACL(node.path, list(), node.stat.getAversion());
            return true;
        } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
            LOG.info(
                    "access list of a node not changed, another process just changed it path={} now={}",
                    node.path,
                    e.code());
            return false;
        }
    }

    private static boolean isOpen(List<ACL> list) {
        return list.stream().anyMatch(each -> each.getId().equals(ANYONE) && each.getPerms() != ZooDefs.Perms.READ);
    }

    /** Returns whether this is the list of new nodes after ZooKeeper has filled in the client that created it. */
    private boolean isAsNew(List<ACL> list) {
        return switch (access) {
            case OPEN -> isOpenToAll(list);
            case PRIVATE -> isOwnersAlone(list);
            case READABLE -> isReadable(list);
        };
    }

    private static boolean isOfServers(List<ACL> list) {
        return isOpenToAll(list) || isOwnersAlone(list) || isReadable(list);
    }

    private static boolean isOpenToAll(List<ACL> list) {
        return list.equals(List.of(ALL_BY_ANYONE));
    }

    private static boolean isOwnersAlone(List<ACL> list) {
        return list.size() == 1 && isOwner(list.get(0));
    }

    private static boolean isReadable(List<ACL> list) {
        return list.size() == 2 && list.stream().anyMatch(AccessLists::isOwner) && list.contains(READ_BY_ANYONE);
    }

    private static boolean isOwner(ACL entry) {
        return entry.getPerms() == ZooDefs.Perms.ALL
                && entry.getId().getScheme().equals(SASL);
    }

    private static List<Found> all(ZooKeeper client, String root) throws KeeperException, InterruptedException {
        List<Found> all = new ArrayList<>();
        List<String> level = List.of(root);
        while (!level.isEmpty()) {
            List<String> below = new ArrayList<>();
            for (int begin = 0; begin < level.size(); begin += ASKED_AT_ONCE) {
                List<String> some = level.subList(begin, Math.min(level.size(), begin + ASKED_AT_ONCE));
                for (Found each : found(client, some)) {
                    all.add(each);
                    below.addAll(below(client, each));
                }
            }
            level = below;
        }
        return all;
    }

    private static List<String> below(ZooKeeper client, Found node) throws KeeperException, InterruptedException {
        if (node.stat.getNumChildren() == 0) {
            return List.of();
        }
        try {
            return client.getChildren(node.path, false).stream()
                    .map(name -> node.path + "/" + name)
                    .toList();
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        }
    }

    /** Asks for all before it waits for the first: nodes that are gone are left out. */
    private static List<Found> found(ZooKeeper client, List<String> paths)
            throws KeeperException, InterruptedException {
        List<CompletableFuture<List<Found>>> asked = new ArrayList<>(paths.size());
        for (String path : paths) {
            CompletableFuture<List<Found>> answer = new CompletableFuture<>();
            client.getACL(
                    path,
                    new Stat(),
                    (code, same, context, list, stat) ->
                            answered(answer, KeeperException.Code.get(code), path, list, stat),
                    null);
            asked.add(answer);
        }
        List<Found> found = new ArrayList<>(paths.size());
        for (CompletableFuture<List<Found>> each : asked) {
            found.addAll(result(each));
        }
        return found;
    }

    private static void answered(
            CompletableFuture<List<Found>> answer, KeeperException.Code code, String path, List<ACL> list, Stat stat) {
        switch (code) {
            case OK -> answer.complete(List.of(new Found(path, stat, list)));
            case NONODE -> answer.complete(List.of());
            default -> answer.completeExceptionally(KeeperException.create(code, path));
        }
    }

    private static List<Found> result(CompletableFuture<List<Found>> answer)
            throws KeeperException, InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KeeperException failure) {
                throw failure;
            }
            throw new IllegalStateException("ZooKeeper's client failed in an unknown way", e);
        }
    }
}
