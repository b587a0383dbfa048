// SPDX-License-Identifier: Apache-2.0
/**
 * Measures the SDK's producer and consumer, beside Kafka's in the same run: {@link org.talos.bench.sdk.SdkMeasurement}.
 */
@NullMarked
package org.talos.bench.sdk;

import org.jspecify.annotations.NullMarked;
