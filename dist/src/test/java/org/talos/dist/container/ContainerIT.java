// SPDX-License-Identifier: Apache-2.0
package org.talos.dist.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.dist.container.Container.Addresses;

/**
 * The server of the archive and its clients where containers run: everything is read only but a volume, no program runs
 * in /tmp, the user is unknown and has no home, the locale is C, a client has 10 MiB of direct memory, and the machine
 * is the other end of a bridge, of IPv4 or of IPv6 alone. Needs bash, curl, iproute2, tar, util-linux, and a kernel
 * that lets the user of the build make namespaces.
 */
@Timeout(180)
class ContainerIT {
    private static final Path ROOT = Path.of(System.getProperty("talos.root"));
    private static final String VERSION = System.getProperty("talos.version");

    @TempDir
    private static Path unpacked;

    @TempDir
    private Path folder;

    @BeforeAll
    static void unpack() throws Exception {
        Path archive = ROOT.resolve("dist/target/talos-" + VERSION + ".tar.gz");
        ProcessBuilder tar = new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", unpacked.toString());
        assertThat(tar.inheritIO().start().waitFor()).isZero();
    }

    private String run(Addresses addresses, String script) throws IOException, InterruptedException {
        return new Container(unpacked.resolve("talos-" + VERSION), folder).run(addresses, script);
    }

    /** The other tests would prove nothing otherwise. */
    @Test
    void containerTakesAwayWhatItSays() throws Exception {
        String said = run(Addresses.IPV4, """
                container id -u
                container bash -c 'echo "home ${HOME-none}, locale $LC_ALL"'
                container bash -c 'touch /opt/talos/lib/new /etc/new' || true
                container bash -c 'cp /bin/true /tmp/program && /tmp/program' || true
                container bash -c 'cp /bin/true program && ./program && echo "runs in the volume"'
                container grep CapEff /proc/self/status
                """);

        assertThat(said)
                .startsWith("12345\nhome none, locale C\n")
                .contains("'/opt/talos/lib/new': Read-only file system", "'/etc/new': Read-only file system")
                .contains("/tmp/program: Permission denied", "runs in the volume\n")
                .containsPattern("CapEff:\t0+\n");
    }

    @Test
    void commandKeepsAnyTextAndStopsOnTheSignalOfDocker() throws Exception {
        String said = run(Addresses.IPV4, """
                small=TALOS_JAVA_OPTS=-XX:MaxDirectMemorySize=10m
                serve
                container "$small" talos topic create stories --partitions 1
                container "$small" talos put stories 'naïve café' '日本語 🙂'
                printf 'größer' > "$volume/größe.txt"
                container "$small" HOME=/nonexistent talos put stories --file größe.txt
                container "$small" talos get stories
                container find /tmp -type f -size +1k
                stop
                """);

        assertThat(said).endsWith("naïve café\n日本語 🙂\ngrößer\nthe server has ended with 143\n");
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void programWithTenMebibytesOfDirectMemoryReadsManyPartitions() throws Exception {
        String said = run(Addresses.IPV4, """
                serve
                container talos topic create many --partitions 120
                client=$(cd "$home" && echo lib/talos-cli-*.jar)
                neighbor java -Xmx256m -XX:MaxDirectMemorySize=10m -XX:TieredStopAtLevel=1 \\
                    -cp "/opt/program:/opt/talos/$client:/opt/talos/lib/client/*" \\
                    org.talos.dist.container.ManyPartitions "http://${address%/*}:8080" admin.credentials many
                """);

        assertThat(said).contains("read 120 messages\nread 240 messages\n").doesNotContain("OutOfMemoryError");
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void nameAndPasswordAreTakenFromTheBridgeThatTheConfigurationNames() throws Exception {
        String said = run(Addresses.IPV4, """
                ask() {
                    curl --noproxy '*' --silent --show-error --write-out '\\nstatus %{http_code}\\n' \\
                        --header 'Content-Type: application/json' --user "$accessKey:$secretKey" "$@"
                }
                ip address add 172.17.0.3/16 dev bridge0
                serve TALOS_HTTP_PLAINCREDENTIALSFROM="${bridge%/*}"
                . "$volume/admin.credentials"
                server=http://${address%/*}:8080/v1
                ask "$server/topics" --data '{"name": "stories", "partitions": 1}'
                ask "$server/topics/stories/messages" --data '{"messages": [{"value": "naïve café"}]}'
                ask "$server/topics/stories/partitions/0/messages"
                echo from another address
                ask "$server/topics" --interface 172.17.0.3
                """);

        assertThat(said.split("from another address\n", -1)[0])
                .contains("\nstatus 201\n", "\"naïve café\"")
                .doesNotContainPattern("status [^2]");
        assertThat(said.split("from another address\n", -1)[1]).contains("\nstatus 401\n");
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void networkWithoutIpv4IsEnough() throws Exception {
        String said = run(Addresses.IPV6, """
                server="http://[${address%/*}]:8080"
                serve TALOS_HTTP_ADVERTISEDHOST="${address%/*}" TALOS_HTTP_PLAINCREDENTIALSFROM="${bridge%/*}"
                container TALOS_ENDPOINT='http://[::1]:8080' talos topic create stories --partitions 1
                neighbor TALOS_ENDPOINT="$server" talos put stories 'naïve café'
                neighbor TALOS_ENDPOINT="$server" talos get stories
                . "$volume/admin.credentials"
                curl --noproxy '*' --silent --show-error --globoff --fail-with-body --user "$accessKey:$secretKey" \\
                    "$server/v1/topics/stories/partitions"
                stop
                grep serving "$folder/server.log"
                """);

        assertThat(said).contains("naïve café\n", "\"[fd00::2]:8080\"").doesNotContain("fd00::2:8080");
    }

    @Test
    @Tag("full") // processes
    @Tag("servers")
    void whereNoProgramRunsTheStartFailsWithOneLineAndThatHelps() throws Exception {
        String said = run(Addresses.IPV4, """
                mount -o remount,bind,noexec "$root/var/lib/talos"
                start
                ended
                grep -vE ' (INFO|WARN) ' "$folder/server.log"
                echo and then
                mount -t tmpfs -o mode=1777 run "$root/run"
                serve TALOS_JAVA_OPTS=-Djava.io.tmpdir=/run
                stop
                """);

        assertThat(said).matches("""
                        the server has ended with 1
                        talos: .*-Djava\\.io\\.tmpdir=.*
                        and then
                        the server has ended with 143
                        """);
    }
}
