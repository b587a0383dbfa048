// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.talos.server.config.ZooKeeperSaslConfig;
import org.talos.server.config.ZooKeeperSaslConfig.Access;
import org.talos.server.config.ZooKeeperSaslConfig.Mechanism;

@ResourceLock(ZooKeeperUsers.LOGINS)
class ClientLoginTest {
    @TempDir
    private Path folder;

    private ZooKeeperSaslConfig digest(String text, String permissions) throws IOException {
        Path file = Files.writeString(folder.resolve("password"), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        return new ZooKeeperSaslConfig(Mechanism.DIGEST, "talos", file.toString(), "", "", "zookeeper", Access.PRIVATE);
    }

    private ZooKeeperSaslConfig kerberos(String principal) throws IOException {
        Path keytab = Files.write(folder.resolve("keytab"), new byte[1]);
        return new ZooKeeperSaslConfig(Mechanism.KERBEROS, "", "", principal, keytab.toString(), "zk", Access.PRIVATE);
    }

    private static AppConfigurationEntry entry(ClientLogin login) {
        String name = login.clientConfig().getProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY);
        return Configuration.getConfiguration().getAppConfigurationEntry(name)[0];
    }

    @Test
    void passwordIsFoundByItsClientAlone() throws Exception {
        try (ClientLogin one = ClientLogin.read(digest("one\n", "rw-------"));
                ClientLogin other = ClientLogin.read(digest("other", "rw-------"))) {
            assertThat(entry(one).getOptions()).isEqualTo(Map.of("username", "talos", "password", "one"));
            assertThat(entry(other).getOptions()).isEqualTo(Map.of("username", "talos", "password", "other"));
            assertThat(one).hasToString("talos");
            assertThat(Configuration.getConfiguration().getAppConfigurationEntry("Client"))
                    .isNull();
        }
    }

    @Test
    void closedLoginIsForgotten() throws Exception {
        ClientLogin login = ClientLogin.read(digest("one", "rw-------"));
        String name = login.clientConfig().getProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY);

        login.close();

        assertThat(Configuration.getConfiguration().getAppConfigurationEntry(name))
                .isNull();
    }

    @Test
    void loginsOfOthersInTheJvmStayWhatTheyWere() throws Exception {
        Configuration others = new Configuration() {
            @Override
            public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
                return name.equals("Client")
                        ? new AppConfigurationEntry[] {
                            new AppConfigurationEntry(
                                    "theirs", AppConfigurationEntry.LoginModuleControlFlag.REQUIRED, Map.of())
                        }
                        : new AppConfigurationEntry[0];
            }
        };
        Configuration.setConfiguration(others);
        try (ClientLogin login = ClientLogin.read(digest("one", "rw-------"))) {
            assertThat(Configuration.getConfiguration()
                            .getAppConfigurationEntry("Client")[0]
                            .getLoginModuleName())
                    .isEqualTo("theirs");
            assertThat(entry(login).getOptions().get("password")).isEqualTo("one");
        } finally {
            Configuration.setConfiguration(null);
        }
    }

    @Test
    void withoutCredentialsAClientIsAsItWouldBe() throws Exception {
        ZooKeeperSaslConfig none = new ZooKeeperSaslConfig(Mechanism.NONE, "", "", "", "", "", Access.PRIVATE);

        try (ClientLogin login = ClientLogin.read(none)) {
            assertThat(login.clientConfig().getProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY))
                    .isEqualTo(new ZKClientConfig().getProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY));
        }
    }

    @Test
    void passwordThatIsMissingOpenToOthersOrNotOneLineIsRefused() throws Exception {
        ZooKeeperSaslConfig open = digest("one", "rw-r--r--");
        assertThatThrownBy(() -> ClientLogin.read(open)).hasMessageContaining("chmod 600");

        ZooKeeperSaslConfig two = digest("one\ntwo\n", "rw-------");
        assertThatThrownBy(() -> ClientLogin.read(two)).hasMessageContaining("has 2 lines (expected: one");

        Files.delete(folder.resolve("password"));
        assertThatThrownBy(() -> ClientLogin.read(two)).hasMessageContaining("is missing");
    }

    @Test
    void keytabIsReadForThePrincipalOfThisMachine() throws Exception {
        try (ClientLogin login = ClientLogin.read(kerberos("talos/_HOST@EXAMPLE.ORG"))) {
            assertThat(entry(login).getOptions().get("principal"))
                    .asString()
                    .startsWith("talos/")
                    .endsWith("@EXAMPLE.ORG")
                    .doesNotContain("_HOST");
            assertThat(entry(login).getOptions().get("keyTab"))
                    .isEqualTo(folder.resolve("keytab").toString());
            assertThat(login.clientConfig().getProperty("zookeeper.sasl.client.username"))
                    .isEqualTo("zk");
        }
    }

    @Test
    void keytabThatIsMissingIsRefused() throws Exception {
        ZooKeeperSaslConfig config = kerberos("talos@EXAMPLE.ORG");
        Files.delete(folder.resolve("keytab"));

        assertThatThrownBy(() -> ClientLogin.read(config)).hasMessageContaining("keytab is missing");
    }
}
