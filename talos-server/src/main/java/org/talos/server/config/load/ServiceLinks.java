// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.load;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The variables by which Kubernetes tells a container which services there are. Those of services named talos or
 * talos-http look like settings of ours: TALOS_SERVICE_HOST, TALOS_HTTP_PORT. A service is known by two of them that
 * Kubernetes always sets and no setting is called like.
 *
 * <p>Immutable.
 */
final class ServiceLinks {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceLinks.class);
    private static final String HOST = "_SERVICE_HOST";
    private static final String PORT = "_SERVICE_PORT";
    private static final Pattern OF_ONE_PORT = Pattern.compile("_PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");
    private static final Pattern ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*");

    private ServiceLinks() {}

    /** The environment without the variables of services whose names begin as settings do. */
    static Map<String, String> without(Map<String, String> environment) {
        List<String> services = environment.keySet().stream()
                .filter(name -> name.startsWith("TALOS") && name.endsWith(HOST))
                .map(name -> name.substring(0, name.length() - HOST.length()))
                .filter(service -> environment.containsKey(service + PORT))
                .toList();
        Map<String, String> rest = new TreeMap<>(environment);
        rest.entrySet().removeIf(each -> services.stream().anyMatch(service -> isOf(service, each)));
        if (rest.size() < environment.size()) {
            Set<String> links = new TreeSet<>(environment.keySet());
            links.removeAll(rest.keySet());
            LOG.info("ignored Kubernetes service variables names={}", links);
        }
        return rest;
    }

    private static boolean isOf(String service, Map.Entry<String, String> variable) {
        if (!variable.getKey().startsWith(service)) {
            return false;
        }
        String what = variable.getKey().substring(service.length());
        return what.equals(HOST)
                || what.equals(PORT)
                || what.startsWith(PORT + "_")
                || OF_ONE_PORT.matcher(what).matches()
                || (what.equals("_PORT") && ADDRESS.matcher(variable.getValue()).matches());
    }
}
