{{- /* What cannot be installed ends here, in a sentence: what is wrong, and what to do. */ -}}
{{- define "hyperscout.checks" -}}
{{- include "hyperscout.checkCluster" . -}}
{{- include "hyperscout.checkImage" . -}}
{{- include "hyperscout.checkLeases" . -}}
{{- include "hyperscout.checkTiers" . -}}
{{- include "hyperscout.checkAddresses" . -}}
{{- include "hyperscout.checkCertificates" . -}}
{{- include "hyperscout.checkSweepers" . -}}
{{- include "hyperscout.checkSchedulerNames" . -}}
{{- if and .Values.uninstall.purge (not .Values.uninstall.hook) -}}
{{- fail "uninstall.purge is set but uninstall.hook is not, so nobody would purge: set both, or run `hyperscout uninstall --purge`" -}}
{{- end -}}
{{- end -}}

{{- /* Whether there is a cluster to look at: `helm template` has none. */ -}}
{{- define "hyperscout.sees" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" }}yes{{ end -}}
{{- end -}}

{{- define "hyperscout.checkCluster" -}}
{{- $version := .Capabilities.KubeVersion.Version -}}
{{- if semverCompare "<1.30.0-0" $version -}}
{{- fail (printf "the cluster is Kubernetes %s; hyperscout needs 1.30 or newer: upgrade the cluster" $version) -}}
{{- end -}}
{{- if include "hyperscout.sees" . -}}
{{- $missing := list -}}
{{- range list "hypernodes.topology.volcano.sh" "podgroups.scheduling.volcano.sh" "nodereports.hyperscout.io" "switchreports.hyperscout.io" "sweepreports.hyperscout.io" -}}
{{- if not (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" .) }}{{ $missing = append $missing . }}{{ end -}}
{{- end -}}
{{- with $missing -}}
{{- fail (printf "the cluster does not know %s: install the chart hyperscout-crds first (helm install hyperscout-crds deploy/helm/hyperscout-crds)" (join ", " .)) -}}
{{- end -}}
{{- if and .Values.monitors.enabled (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) -}}
{{- fail "monitors.enabled is set, but the cluster does not know ServiceMonitors: install the Prometheus Operator first, or leave monitors.enabled false" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkImage" -}}
{{- range $part := list "registry" "repository" -}}
{{- $name := get $.Values.image $part -}}
{{- if regexMatch "[^-a-z0-9._:/]" $name -}}
{{- fail (printf "image.%s is %s, and no image can be named so: give the one that you pushed the image to, in small letters" $part $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkLeases" -}}
{{- $settings := dict "controller" .Values.controller.settings "scheduler" .Values.scheduler.settings "sweeper" .Values.sweeper.settings -}}
{{- range .Values.sweepers }}{{ $_ := set $settings (printf "sweeper %s" .name) (mergeOverwrite (deepCopy $.Values.sweeper.settings) (.settings | default dict)) }}{{ end -}}
{{- range $who, $given := $settings -}}
{{- $times := mergeOverwrite (dict "retryPeriod" 2 "renewDeadline" 10 "duration" 15) (deepCopy (get $given "lease" | default dict)) -}}
{{- if not (and (lt (float64 $times.retryPeriod) (float64 $times.renewDeadline)) (lt (float64 $times.renewDeadline) (float64 $times.duration))) -}}
{{- fail (printf "the lease of the %s has retryPeriod %v, renewDeadline %v and duration %v: each must be longer than the one before" $who $times.retryPeriod $times.renewDeadline $times.duration) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkTiers" -}}
{{- $tiers := dig "tree" "tiers" dict .Values.controller.settings -}}
{{- $names := list "nvlink" "leaf" "spine" "core" -}}
{{- range untilStep 2 31 1 }}{{ $names = append $names (printf "core%d" .) }}{{ end -}}
{{- $below := 0 -}}
{{- range $name := $names -}}
{{- with get $tiers $name -}}
{{- if not (gt (int .) $below) -}}
{{- fail (printf "controller.settings.tree.tiers.%s is %v, and the tier below it has %d: numbers rise from nvlink and leaf to core" $name . $below) -}}
{{- end -}}
{{- $below = int . -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkAddresses" -}}
{{- $addresses := dict "controller" (dig "http" "listen" "" .Values.controller.settings) "scheduler" (dig "http" "listen" "" .Values.scheduler.settings) "sweeper" (dig "http" "listen" "" .Values.sweeper.settings) -}}
{{- range .Values.sweepers }}{{ $_ := set $addresses (printf "sweeper %s" .name) (dig "settings" "http" "listen" "" .) }}{{ end -}}
{{- range $who, $listen := $addresses -}}
{{- if regexMatch "^(127\\.|localhost:|\\[::1\\])" $listen -}}
{{- fail (printf "the %s is to listen on %s, where no kubelet can ask for its health: set http.listen in its settings to :PORT, such as :8461" $who $listen) -}}
{{- end -}}
{{- end -}}
{{- $listen := dig "http" "listen" "127.0.0.1:8463" .Values.agent.settings -}}
{{- if not (hasPrefix "127.0.0.1:" $listen) -}}
{{- fail (printf "the agent is to listen on %s, but it shares its node's network: set agent.settings.http.listen to 127.0.0.1:PORT" $listen) -}}
{{- end -}}
{{- end -}}

{{- /* A certificate is a file, and only those of the Secrets in `tls` are in the pods. */ -}}
{{- define "hyperscout.checkCertificates" -}}
{{- $settings := dict "controller" .Values.controller.settings "scheduler" .Values.scheduler.settings "agent" .Values.agent.settings "sweeper" .Values.sweeper.settings -}}
{{- range .Values.sweepers }}{{ $_ := set $settings (printf "sweeper %s" .name) (.settings | default dict) }}{{ end -}}
{{- range $who, $given := $settings -}}
{{- with dig "http" "tlsCertificate" "" $given -}}
{{- fail (printf "the settings of the %s name the certificate %s, a file that its pod does not have: name a Secret in tls.systemSecret or tls.nodeSecret instead" $who .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkSweepers" -}}
{{- $names := list -}}
{{- range .Values.sweepers -}}
{{- if has .name $names -}}
{{- fail (printf "two sweepers are called %s: give each fabric's sweeper a name of its own, for the label hyperscout.io/sweeper tells whose a report is" .name) -}}
{{- end -}}
{{- $names = append $names .name -}}
{{- with dig "settings" "sweep" "name" "" . -}}
{{- fail (printf "sweep.name %s stands in the settings of a sweeper: its name in the list `sweepers` is the one that counts" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkSchedulerNames" -}}
{{- $names := dig "scheduling" "schedulerNames" list .Values.scheduler.settings -}}
{{- if and .Values.scheduler.enabled (has "default-scheduler" $names) -}}
{{- fail "scheduler.settings.scheduling.schedulerNames has default-scheduler, whose pods kube-scheduler binds: name the pods' scheduler hyperscout, and leave default-scheduler out" -}}
{{- end -}}
{{- if and .Values.scheduler.enabled (has "volcano" $names) (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "queues.scheduling.volcano.sh") -}}
{{- fail "scheduler.settings.scheduling.schedulerNames has volcano, whose pods the Volcano of this cluster binds: leave volcano out, or set scheduler.enabled to false" -}}
{{- end -}}
{{- end -}}
