// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

/** A consumer group on a topic, as people name it. Immutable. */
public record GroupName(String topic, String group) {}
