package embedded;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.micrometer.TalosProducerMetrics;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.TalosProducer;
import org.talos.server.TalosServer;

/** Puts a message to a server in its own JVM, and counts it. */
public final class Program {
    private Program() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (TalosServer server = TalosServer.embedded(directory);
                TalosClient client =
                        new TalosClient(ClientConfig.of(server.uri(), directory.resolve("admin.credentials")))) {
            new TalosAdmin(client).createTopic(NewTopic.of("orders", 1));
            try (TalosProducer producer = new TalosProducer(client, "orders");
                    TalosProducerMetrics metrics = new TalosProducerMetrics(producer)) {
                metrics.bindTo(registry);
                int partition =
                        producer.send(OutgoingMessage.of("first order")).get().partition();
                System.out.println("stored in orders/" + partition);
                System.out.println(registry.getMeters().size() + " meters");
            }
        }
    }
}
