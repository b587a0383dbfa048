/**
 * The Java client: {@link org.talos.client.TalosAdmin}, {@link org.talos.client.SimpleProducer},
 * {@link org.talos.client.SimpleConsumer}. Nothing of the wire or of another library is in its signatures.
 */
@NullMarked
package org.talos.client;

import org.jspecify.annotations.NullMarked;
