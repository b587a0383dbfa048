/**
 * Measures the costs of growth on a server, with a curve for each quantity: {@link org.talos.bench.scale.ScaleCommand}.
 */
@NullMarked
package org.talos.bench.scale;

import org.jspecify.annotations.NullMarked;
