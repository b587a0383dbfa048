// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.tls;

import java.io.IOException;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * The allowed names, {@code transfer.tls.allowedNames}: another server's certificate must have one of them. Its
 * alternative names (host names, addresses, URIs) and the common name of its subject are compared as a whole, in any
 * case.
 *
 * <p>Immutable.
 */
final class PeerNames {
    private static final Set<Integer> KINDS = Set.of(2, 6, 7); // of RFC 5280: dNSName, URI, iPAddress

    private final Set<String> allowed; // empty: any

    PeerNames(String commaSeparated) {
        allowed = Arrays.stream(commaSeparated.split(","))
                .map(PeerNames::folded)
                .filter(each -> !each.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static String folded(String name) {
        return name.strip().toLowerCase(Locale.ROOT);
    }

    /**
     * Checks the certificate that the other side has proved to be its own.
     *
     * @throws IOException it has none of the names
     */
    void check(SSLSession session) throws IOException {
        if (allowed.isEmpty()) {
            return;
        }
        try {
            Certificate[] chain = session.getPeerCertificates();
            check(names((X509Certificate) chain[0]));
        } catch (SSLPeerUnverifiedException | CertificateParsingException | InvalidNameException e) {
            throw new IOException("the other server's certificate has no names that can be read", e);
        }
    }

    private void check(Set<String> names) throws IOException {
        if (names.stream().map(PeerNames::folded).noneMatch(allowed::contains)) {
            throw new IOException("the other server's certificate is for " + String.join(", ", names)
                    + ", none of which is in transfer.tls.allowedNames here");
        }
    }

    private static Set<String> names(X509Certificate certificate)
            throws CertificateParsingException, InvalidNameException {
        Set<String> names = new TreeSet<>();
        Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
        if (alternatives != null) {
            for (List<?> each : alternatives) {
                if (each.get(0) instanceof Integer kind && KINDS.contains(kind)) {
                    names.add(String.valueOf(each.get(1)));
                }
            }
        }
        for (Rdn each : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
            if ("CN".equalsIgnoreCase(each.getType())) {
                names.add(String.valueOf(each.getValue()));
            }
        }
        return names;
    }
}
