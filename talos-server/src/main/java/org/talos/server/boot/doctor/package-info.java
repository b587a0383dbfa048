// SPDX-License-Identifier: Apache-2.0
/**
 * Checks of stores, logs, and certificates without a server: {@link org.talos.server.boot.doctor.Doctor} of those in a
 * cluster, {@link org.talos.server.boot.doctor.LocalDoctor} of a data directory.
 */
@NullMarked
package org.talos.server.boot.doctor;

import org.jspecify.annotations.NullMarked;
