package outside;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.producer.OutgoingMessage;

/** Calls a server that is missing: everything but the answer. */
public final class Program {
    private Program() {}

    public static void main(String[] arguments) {
        OutgoingMessage message = OutgoingMessage.of("first order").withKey("ann");
        ClientConfig config =
                ClientConfig.of(URI.create("http://127.0.0.1:1"), "AK", "secret").withDeadline(Duration.ZERO);
        try {
            new TalosAdmin(new TalosClient(config)).describeTopic("orders");
        } catch (TalosClientException e) {
            String text = new String(message.body(), StandardCharsets.UTF_8);
            System.out.println("not put: " + text + ", " + e.outcome());
        }
    }
}
