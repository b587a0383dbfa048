// SPDX-License-Identifier: Apache-2.0
package org.example.shop;

import java.net.URI;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.StartPosition;
import org.talos.client.consumer.TalosConsumer;
import org.talos.client.micrometer.TalosConsumerMetrics;
import org.talos.client.micrometer.TalosProducerMetrics;
import org.talos.client.producer.TalosProducer;

/** The client, a producer, a consumer, and their meters. Spring closes them in the reverse order. */
@Configuration(proxyBeanMethods = false)
class TalosConfiguration {
    @Bean
    TalosClient client(
            @Value("${talos.endpoint}") URI endpoint,
            @Value("${talos.access-key}") String accessKey,
            @Value("${talos.secret-key}") String secretKey) {
        return new TalosClient(ClientConfig.of(endpoint, accessKey, secretKey));
    }

    @Bean
    TalosProducer producer(TalosClient client) throws TalosClientException {
        return new TalosProducer(client, "orders");
    }

    /** Not started: {@link ConsumerLifecycle} does that. */
    @Bean
    TalosConsumer consumer(TalosClient client, Ledger ledger) {
        return TalosConsumer.builder(client, "booking")
                .topics("orders")
                .config(ConsumerConfig.builder().start(StartPosition.EARLIEST).build())
                .processor(ledger)
                .build();
    }

    /** Spring Boot binds it, and the next one, to its registry. */
    @Bean
    TalosProducerMetrics producerMetrics(TalosProducer producer) {
        return new TalosProducerMetrics(producer);
    }

    @Bean
    TalosConsumerMetrics consumerMetrics(TalosConsumer consumer) {
        return new TalosConsumerMetrics(consumer);
    }
}
