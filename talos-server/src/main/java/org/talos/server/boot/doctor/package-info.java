// SPDX-License-Identifier: Apache-2.0
/**
 * Checks of stores, logs, and certificates without a server: {@link org.talos.server.boot.doctor.Doctor} for a
 * cluster's stores, {@link org.talos.server.boot.doctor.LocalDoctor} for a data directory.
 */
@NullMarked
package org.talos.server.boot.doctor;

import org.jspecify.annotations.NullMarked;
