{{- define "campaign.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Of one part: what selects its pods. Takes a list: the root, the part's name. */}}
{{- define "campaign.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "campaign.name" -}}
{{- $root := index . 0 -}}
{{ printf "%s-%s" $root.Release.Name (index . 1) | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "campaign.image" -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}

{{/* The settings of a process: those of all, those of its part, and the names of the files that hold secrets. Takes a list: the root, the part's own. */}}
{{- define "campaign.env" -}}
{{- $root := index . 0 -}}
{{- $given := mergeOverwrite (dict "NODE_ENV" "production" "HOST" "0.0.0.0" "PORT" "8480" "DATA_DIR" "/data") $root.Values.settings (index . 1) -}}
{{- range $name, $value := $given }}
{{- /* A large number would be written as 1e+07. */ -}}
{{- if and (kindIs "float64" $value) (eq $value (floor $value)) }}{{ $value = int64 $value }}{{ end }}
{{- if ne (toString $value) "" }}
- name: {{ $name }}
  value: {{ toString $value | quote }}
{{- end }}
{{- end }}
{{- range $root.Values.secretKeys }}
- name: {{ . }}_FILE
  value: /run/secrets/campaign/{{ . }}
{{- end }}
{{- end }}

{{- define "campaign.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "campaign.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "campaign.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: /run/secrets/campaign, readOnly: true }
{{- if .Values.files }}
- { name: files, mountPath: /run/files, readOnly: true }
{{- end }}
{{- end }}

{{- define "campaign.volumes" -}}
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
- name: secrets
  secret: { secretName: {{ required "secret: the name of a Secret with the settings that are secret" .Values.secret | quote }} }
{{- if .Values.files }}
- name: files
  secret: { secretName: {{ .Values.files | quote }} }
{{- end }}
{{- end }}

{{/* Where the pods of a part run. Takes a list: the root, the part's name. */}}
{{- define "campaign.placing" -}}
{{- $root := index . 0 -}}
{{- with $root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: {{ $root.Values.topologyKey }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "campaign.selector" . | nindent 8 }}
{{- end }}

{{- define "campaign.pull" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A deployment of workers. Takes a dict: root, part, replicas (null where something else counts them), own (settings), ports. */}}
{{- define "campaign.worker" -}}
{{- $root := .root -}}
{{- $part := list .root .part -}}
{{- $own := mergeOverwrite (dict "WORKER_HEALTH" "0.0.0.0:8481" "WORKER_METRICS" "0.0.0.0:9464" "SHUTDOWN_GRACE_SECONDS" $root.Values.worker.graceSeconds) .own -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "campaign.name" $part }}
  labels: {{ include "campaign.labels" $root | nindent 4 }}
spec:
  {{- if .replicas }}
  replicas: {{ .replicas }}
  {{- end }}
  selector:
    matchLabels: {{ include "campaign.selector" $part | nindent 6 }}
  strategy:
    rollingUpdate: { maxUnavailable: 1, maxSurge: 1 }
  template:
    metadata:
      labels: {{ include "campaign.selector" $part | nindent 8 }}
    spec:
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: {{ add $root.Values.worker.graceSeconds 15 }}
      securityContext: {{ include "campaign.podSecurity" $root | nindent 8 }}
      {{- include "campaign.pull" $root | nindent 6 }}
      {{- include "campaign.placing" $part | nindent 6 }}
      containers:
        - name: worker
          image: {{ include "campaign.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          command: [node, --max-semi-space-size=8, --max-old-space-size=512, --no-allocation-site-pretenuring, --no-parallel-scavenge, bin/worker.ts]
          env: {{ include "campaign.env" (list $root $own) | nindent 12 }}
          ports:
            - { name: health, containerPort: 8481 }
            - { name: metrics, containerPort: 9464 }
            {{- range .ports }}
            - {{ toYaml . | nindent 14 | trim }}
            {{- end }}
          startupProbe:
            httpGet: { path: /health/live, port: health }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /health/live, port: health }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /health/ready, port: health }
            periodSeconds: 5
            timeoutSeconds: 5
          resources: {{ toYaml $root.Values.worker.resources | nindent 12 }}
          securityContext: {{ include "campaign.containerSecurity" $root | nindent 12 }}
          volumeMounts: {{ include "campaign.mounts" $root | nindent 12 }}
      volumes: {{ include "campaign.volumes" $root | nindent 8 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "campaign.name" $part }}
  labels: {{ include "campaign.labels" $root | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{ include "campaign.selector" $part | nindent 6 }}
{{- end }}
